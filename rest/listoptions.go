package rest

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
)

// defaultLimit is how many items a page of a list has by default.
const defaultLimit = 500

// ListOptions say what to list. The zero value lists everything, as it is now.
type ListOptions struct {
	// Name selects the object of this name. A role that is restricted to resource names suffices.
	Name string
	// LabelSelector selects by labels: "app=web,tier in (a,b),!old"; see [ParseLabels].
	LabelSelector string
	// FieldSelector selects by fields that the server supports: "spec.nodeName=node-1".
	FieldSelector string
	// Limit is how many items a page has. All pages are fetched. Default: 500; -1: no pages.
	Limit int
	// ResourceVersion is how fresh the list has to be: "0" accepts whatever the server has cached,
	// a version anything that is not older. Default: the most recent.
	ResourceVersion string
	// ResourceVersionMatch is "NotOlderThan" (default) or "Exact", and needs a ResourceVersion.
	ResourceVersionMatch string
	// KeepGoing lets a list go on after an object that does not decode into the type of the
	// resource: [Resource.Each] reports it as a result of its own, [Resource.List] in
	// [List].Undecoded. Default: it ends the list. [Endpoint.List] does not decode.
	KeepGoing bool
}

// query returns the parameters of the first page.
func (o *ListOptions) query() url.Values {
	q := url.Values{}
	addNonEmpty(q, "labelSelector", o.LabelSelector)
	addNonEmpty(q, "fieldSelector", fieldsOf(o.Name, o.FieldSelector))
	addNonEmpty(q, "resourceVersion", o.ResourceVersion)
	match := o.ResourceVersionMatch
	if match == "" && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		match = "NotOlderThan" // without it a limit would make it that very version
	}
	addNonEmpty(q, "resourceVersionMatch", match)
	if o.Limit >= 0 {
		limit := o.Limit
		if limit == 0 {
			limit = defaultLimit
		}
		q.Set("limit", strconv.Itoa(limit))
	}
	return q
}

// checkList refuses options that no server accepts.
func (e *Endpoint) checkList(o *ListOptions) error {
	if err := e.whole("list"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return e.bad("list", "", err)
	}
	return nil
}

func (o *ListOptions) check() error {
	if err := checkSelectors(o.Name, o.LabelSelector, o.FieldSelector); err != nil {
		return err
	}
	switch o.ResourceVersionMatch {
	case "":
	case "NotOlderThan", "Exact":
		if o.ResourceVersion == "" {
			return errors.New("a resource version match needs a resource version")
		}
	default:
		return fmt.Errorf("resource version match %q is not one of NotOlderThan, Exact", o.ResourceVersionMatch)
	}
	if o.Limit < -1 {
		return fmt.Errorf("limit %d is less than -1", o.Limit)
	}
	return nil
}

// checkSelectors refuses selectors that no server can parse.
func checkSelectors(name, labels, fields string) error {
	if name != "" {
		if err := checkSegment(name); err != nil {
			return fmt.Errorf("name %w", err)
		}
	}
	if _, err := parseLabels(labels); err != nil {
		return err
	}
	_, err := parseFields(fields)
	return err
}
