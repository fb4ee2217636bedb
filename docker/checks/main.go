// Checks what docker/ holds without a container engine or a cluster: the compose file is loaded with each of its
// profiles, the chart is linted and rendered, and every object that it renders is decoded strictly into the type that
// Kubernetes has for it, so that a field that does not exist is a fault.
//
//	go run . ..            # from docker/checks
//	go run . -update ..    # writes the snapshots of the rendered chart anew
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	update := flag.Bool("update", false, "write the snapshots of the rendered chart anew")
	flag.Parse()
	folder := flag.Arg(0)
	if folder == "" {
		folder = ".."
	}
	if err := errors.Join(checkCompose(folder), checkChart(folder, *update)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("compose file and chart are well")
}

// Profiles that are started together: each alone, and all of one kind of database.
var compositions = [][]string{
	{"sqlite"}, {"postgres"}, {"observability"}, {"kafka"},
	{"sqlite", "observability", "kafka"}, {"postgres", "observability", "kafka"},
}

// checkCompose loads the compose file with each composition of its profiles: one that starts nothing, a service that
// depends on one outside of it, and two that publish the same port, are faults.
func checkCompose(folder string) error {
	for _, profiles := range compositions {
		options, err := cli.NewProjectOptions(
			[]string{filepath.Join(folder, "compose.yaml")},
			cli.WithProfiles(profiles),
		)
		if err != nil {
			return err
		}
		project, err := options.LoadProject(context.Background())
		if err != nil {
			return fmt.Errorf("compose.yaml with %v: %w", profiles, err)
		}
		if len(project.Services) == 0 {
			return fmt.Errorf("compose.yaml: %v starts nothing", profiles)
		}
		publishers := map[string]string{}
		for _, service := range project.Services {
			for _, port := range service.Ports {
				if other, taken := publishers[port.Published]; taken {
					return fmt.Errorf("compose.yaml with %v: %s and %s publish port %s", profiles, other, service.Name, port.Published)
				}
				publishers[port.Published] = service.Name
			}
			for _, volume := range service.Volumes {
				if volume.Type != "bind" {
					continue
				}
				if _, err := os.Stat(volume.Source); err != nil {
					return fmt.Errorf("compose.yaml: service %s mounts what is not there: %w", service.Name, err)
				}
			}
		}
	}
	return nil
}

// checkChart lints and renders the chart with its defaults and with each file of ci/, and compares with the snapshots.
func checkChart(folder string, update bool) error {
	root := filepath.Join(folder, "helm", "trunkline")
	for _, message := range lint.All(root, nil, "default", true).Messages {
		if message.Severity >= support.WarningSev {
			return fmt.Errorf("helm lint: %w", message.Err)
		}
	}
	cases := map[string]string{"defaults": ""}
	files, err := filepath.Glob(filepath.Join(root, "ci", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		cases[strings.TrimSuffix(filepath.Base(file), ".yaml")] = file
	}
	if err := checkRefusals(root); err != nil {
		return err
	}
	for name, file := range cases {
		values := chartutil.Values{}
		if file != "" {
			if values, err = chartutil.ReadValuesFile(file); err != nil {
				return err
			}
		}
		text, err := render(root, values)
		if err != nil {
			return fmt.Errorf("chart with %s: %w", name, err)
		}
		snapshot := filepath.Join(folder, "checks", "snapshots", name+".yaml")
		if update {
			if err := os.WriteFile(snapshot, []byte(text), 0o644); err != nil {
				return err
			}
			continue
		}
		kept, err := os.ReadFile(snapshot)
		if err != nil {
			return err
		}
		if string(kept) != text {
			return fmt.Errorf("chart with %s: differs from %s; look at the difference, then go run . -update ..", name, snapshot)
		}
	}
	return nil
}

// What the chart refuses, with a word of why: it would otherwise install something else than what was asked for.
var refusals = []struct{ values, word string }{
	// A value that is misspelled is not passed over.
	{"replicas: 3", "replicas"},
	{"deployments: {server: {roles: [sheduler]}}", "roles"},
	{"keda: {enabled: true, deployment: engine}", "there is no deployment engine"},
	{"{keda: {enabled: true}, deployments: {server: {autoscaling: {enabled: true}}}}", "cannot scale the same deployment"},
	{"deployments: {server: {autoscaling: {enabled: true}, resources: {requests: {cpu: null}}}}", "needs resources.requests.cpu"},
}

// checkRefusals says which faulty values the chart takes.
func checkRefusals(root string) error {
	for _, refusal := range refusals {
		values, err := chartutil.ReadValues([]byte(refusal.values))
		if err != nil {
			return err
		}
		_, err = render(root, values)
		if err == nil || !strings.Contains(err.Error(), refusal.word) {
			return fmt.Errorf("the chart with %q: expected a refusal with %q, and got %v", refusal.values, refusal.word, err)
		}
	}
	return nil
}

// render answers the chart's objects as one text, each checked, in the order of their templates.
func render(root string, values chartutil.Values) (string, error) {
	loaded, err := loader.Load(root)
	if err != nil {
		return "", err
	}
	release := chartutil.ReleaseOptions{Name: "orders", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	rendered, err := engine.Render(loaded, all)
	if err != nil {
		return "", err
	}
	var names []string
	for name := range rendered {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var text strings.Builder
	for _, name := range names {
		for _, document := range strings.Split("\n"+rendered[name], "\n---") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			if err := checkObject([]byte(document)); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(&text, "---\n# %s\n%s\n", name, strings.Trim(document, "\n"))
		}
	}
	return text.String(), nil
}

// checkObject decodes an object strictly into its type.
func checkObject(document []byte) error {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(document, &meta); err != nil {
		return err
	}
	var object any
	switch meta.APIVersion + " " + meta.Kind {
	case "apps/v1 Deployment":
		object = &appsv1.Deployment{}
	case "autoscaling/v2 HorizontalPodAutoscaler":
		object = &autoscalingv2.HorizontalPodAutoscaler{}
	case "batch/v1 Job":
		object = &batchv1.Job{}
	case "v1 Service":
		object = &corev1.Service{}
	case "v1 ServiceAccount":
		object = &corev1.ServiceAccount{}
	case "v1 ConfigMap":
		object = &corev1.ConfigMap{}
	case "networking.k8s.io/v1 Ingress":
		object = &networkingv1.Ingress{}
	case "networking.k8s.io/v1 NetworkPolicy":
		object = &networkingv1.NetworkPolicy{}
	case "policy/v1 PodDisruptionBudget":
		object = &policyv1.PodDisruptionBudget{}
	case "monitoring.coreos.com/v1 ServiceMonitor":
		object = &serviceMonitor{}
	case "monitoring.coreos.com/v1 PrometheusRule":
		object = &prometheusRule{}
	case "keda.sh/v1alpha1 ScaledObject":
		object = &scaledObject{}
	case "keda.sh/v1alpha1 TriggerAuthentication":
		object = &triggerAuthentication{}
	default:
		return fmt.Errorf("no type is known for %s %s", meta.APIVersion, meta.Kind)
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return fmt.Errorf("%s: %w", meta.Kind, err)
	}
	switch object := object.(type) {
	case *appsv1.Deployment:
		return checkProbes(object)
	case *autoscalingv2.HorizontalPodAutoscaler:
		if least := object.Spec.MinReplicas; least == nil || *least < 1 || *least > object.Spec.MaxReplicas {
			return fmt.Errorf("HorizontalPodAutoscaler %s: no bounds, or the least is more than the most", object.Name)
		}
		return nil
	case *scaledObject:
		return checkScaler(object)
	default:
		return nil
	}
}

// checkProbes says where a probe asks at an address that a process has only with some roles, or with TLS.
func checkProbes(deployment *appsv1.Deployment) error {
	for _, container := range deployment.Spec.Template.Spec.Containers {
		for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
			if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.StrVal != "metrics" {
				return fmt.Errorf("Deployment %s: each probe asks at the metrics address", deployment.Name)
			}
		}
	}
	return nil
}
