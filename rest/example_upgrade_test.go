package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// A connection to the server with a protocol called "shout", and with the token of the client.
func ExampleClient_Upgrade() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel() // the connection ends with it, if not before
	server := httptest.NewServer(http.HandlerFunc(shout))
	defer server.Close()
	client, err := rest.New(kubeconfig.Config{Server: server.URL, Token: "secret"}, rest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdle()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, client.Server()+"/shout", http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "shout")
	answer, err := client.Upgrade(request)
	if err != nil {
		fmt.Println(err) // such as: upgrade /shout: forbidden (403)
		return
	}
	defer answer.Body.Close()
	conn := answer.Body.(io.ReadWriter)
	_, _ = fmt.Fprintln(conn, "anybody there?")
	line, err := bufio.NewReader(conn).ReadString('\n')
	fmt.Print(line, err)
	// Output:
	// ANYBODY THERE?
	// <nil>
}

// shout is a server that speaks HTTP first, and then repeats a line in capital letters.
func shout(w http.ResponseWriter, _ *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
	line, _ := buffered.ReadString('\n')
	_, _ = io.WriteString(conn, strings.ToUpper(line))
}
