// Package realapi builds, starts and stops a real etcd and kube-apiserver on loopback.
//
// It is for tests that want the truth. The two programs are built from their Go modules, in the
// versions of servers/go.mod, kept in the user's cache folder, and started on free ports with their
// data in a temporary folder. Nothing else has to be installed:
//
//	server, err := realapi.Start(ctx, realapi.Options{})
//	if err != nil {
//		return err
//	}
//	defer server.Stop()
//	client := &http.Client{Transport: server.Transport()}
//	req.Header.Set("Authorization", "Bearer "+realapi.Admin.Token)
//	resp, err := client.Do(req) // a request to server.URL() + "/api/v1/namespaces"
//
// The first build takes about ten minutes and two gigabytes of build cache, and reports its
// progress. Later starts take a few seconds.
//
// # Guarantees
//
//   - There is no controller, no scheduler and no kubelet. Only the test's requests change objects,
//     except for what kube-apiserver does itself: its namespaces, its roles, the service
//     "kubernetes" and its lease.
//   - Neither etcd nor kube-apiserver compacts history on its own.
//   - No process is left behind. Stop ends kube-apiserver and then etcd. If the process that
//     started them dies without a Stop, even by SIGKILL, the kernel (on Linux) or a watchdog (on
//     other Unix systems) kills them, and the next Start removes the folders of that run.
//
// In practice you call Start when a test run begins and Stop when it ends: the first run builds for
// ten minutes, and after that a real API server is as easy to have as a test double. It feels like
// a cluster in which nobody else is at work, so a test can make exact claims.
//
// # Errors
//
// The error of a failed Start contains the last lines that the failed program wrote.
package realapi
