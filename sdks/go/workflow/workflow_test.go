package workflow_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"trunkline.dev/go/workflow"
)

func TestADefinitionIsTheJSONThatTheServerTakes(t *testing.T) {
	order := workflow.New("order").Version(2).Timeout(time.Hour).Retry(workflow.RetryPolicy{MaxRetries: 2, Initial: time.Second}).
		Node("check", workflow.Task("order.check", map[string]any{"id": workflow.Input("id")})).
		Node("ship", workflow.Task("order.ship", workflow.Output("check")), workflow.DependsOn("check"), workflow.When("input.ship")).
		OnFailure("tell", workflow.Task("tell", nil)).
		Output(workflow.Output("ship", "parcel-no"))
	got, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"order","nodes":[{"id":"check","input":{"id":"${input.id}"},"jobType":"order.check","type":"SERVICE_TASK"},` +
		`{"dependsOn":["check"],"id":"ship","input":"${nodes.check.output}","jobType":"order.ship","type":"SERVICE_TASK","when":"input.ship"}],` +
		`"onFailure":[{"id":"tell","jobType":"tell","type":"SERVICE_TASK"}],"output":"${nodes.ship.output[\"parcel-no\"]}",` +
		`"retry":{"initial":"1000ms","maxRetries":2},"timeout":"3600000ms","version":2}`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestMistakesAreTold(t *testing.T) {
	wrong := workflow.New("wrong").
		Node("a", workflow.Signal("x"), workflow.DependsOn("b")).
		Node("a", workflow.WaitWebhook())
	_, err := json.Marshal(wrong)
	if err == nil || !strings.Contains(err.Error(), "depends on b") || !strings.Contains(err.Error(), "two nodes are named a") {
		t.Error(err)
	}
}
