// Package realapi builds, starts and stops a real etcd and kube-apiserver on loopback.
//
// It is for tests that want the truth. The two programs are built from their Go modules (their
// versions are those of servers/go.mod), kept in the user's cache folder, and started on free ports
// with their data in a temporary folder; nothing else has to be installed:
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
// The first build takes about ten minutes and two gigabytes of build cache; it reports its
// progress. A later start takes a few seconds.
//
// # Guarantees
//
// There is no controller, no scheduler and no kubelet: nobody changes an object but the requests of
// the test, with the exception of what kube-apiserver does itself (its namespaces, its roles, the
// service "kubernetes", its lease). Neither etcd nor kube-apiserver compacts history on its own.
//
// No process is left behind: Stop ends kube-apiserver and then etcd, and when the process that
// started them dies without a Stop, even by SIGKILL, the kernel (on Linux) or a watchdog (on other
// Unix systems) kills them. The folders of such a run are removed by the next Start.
//
// # Errors
//
// A failed Start tells the last lines of what the failed program wrote.
package realapi
