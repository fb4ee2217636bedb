package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the chart writes of the objects of operators (monitoring.coreos.com/v1 and keda.sh/v1alpha1), as their definitions name it. The
// operators' own types would bring the operators along.

type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount *int32 `json:"minReplicaCount"`
		MaxReplicaCount *int32 `json:"maxReplicaCount"`
		Triggers        []struct {
			Type              string            `json:"type"`
			MetricType        string            `json:"metricType"`
			Metadata          map[string]string `json:"metadata"`
			AuthenticationRef struct {
				Name string `json:"name"`
			} `json:"authenticationRef"`
		} `json:"triggers"`
	} `json:"spec"`
}

type triggerAuthentication struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SecretTargetRef []struct {
			Parameter string `json:"parameter"`
			Name      string `json:"name"`
			Key       string `json:"key"`
		} `json:"secretTargetRef"`
	} `json:"spec"`
}

// checkScaler says what KEDA's scaler `metrics-api` would refuse.
func checkScaler(object *scaledObject) error {
	spec := object.Spec
	if spec.ScaleTargetRef.Name == "" || spec.MinReplicaCount == nil || spec.MaxReplicaCount == nil || len(spec.Triggers) == 0 {
		return fmt.Errorf("ScaledObject %s: a target, its bounds or a trigger is missing", object.Name)
	}
	if *spec.MinReplicaCount > *spec.MaxReplicaCount {
		return fmt.Errorf("ScaledObject %s: the least is more than the most", object.Name)
	}
	for _, trigger := range spec.Triggers {
		if trigger.Type != "metrics-api" || trigger.AuthenticationRef.Name == "" {
			return fmt.Errorf("ScaledObject %s: a trigger of type %s without authentication", object.Name, trigger.Type)
		}
		for _, name := range []string{"url", "valueLocation", "targetValue", "authMode"} {
			if trigger.Metadata[name] == "" {
				return fmt.Errorf("ScaledObject %s: the trigger says no %s", object.Name, name)
			}
		}
	}
	return nil
}
