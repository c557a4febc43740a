//! `fleet k8s`: learner and workers for Kubernetes.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::job::{LearningArguments, PlaceArguments, SlotArguments};
use crate::released;

/// Print a manifest for Kubernetes, to be piped into `kubectl apply -f -`: the learner and its workers.
#[derive(Args)]
pub struct KubernetesArguments {
    #[command(flatten)]
    place: PlaceArguments,
    #[command(flatten)]
    slots: SlotArguments,
    /// The image, built from the Containerfile's target `train`.
    #[arg(long, default_value = "hotstone-train", value_parser = NonEmptyStringValueParser::new())]
    image: String,
    /// Prefix of the names of jobs, service accounts and secrets.
    #[arg(long, default_value = "hotstone")]
    name: String,
    /// CPUs for the learner.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: u32,
    /// GPUs for the learner.
    #[arg(long, default_value_t = 0)]
    gpus: u32,
    /// Memory for the learner, in Kubernetes' notation.
    #[arg(long, default_value = "16Gi", value_parser = NonEmptyStringValueParser::new())]
    memory: String,
    /// CPUs for each worker.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    worker_cpus: u32,
    /// GPUs for each worker.
    #[arg(long, default_value_t = 0)]
    worker_gpus: u32,
    /// Memory for each worker.
    #[arg(long, default_value = "4Gi", value_parser = NonEmptyStringValueParser::new())]
    worker_memory: String,
    #[command(flatten)]
    learning: LearningArguments,
}

/// How often a process is started again: without an end. A worker for which there is nothing to do
/// ends every quarter of an hour for as long as that lasts, and to Kubernetes each time is a
/// failure.
const STARTS: u32 = 1_000_000;

/// The resources of a pod.
struct Resources<'a> {
    cpus: u32,
    gpus: u32,
    memory: &'a str,
}

impl Resources<'_> {
    /// The lines about them in the description of a container.
    fn lines(&self) -> Result<String> {
        let Resources { cpus, gpus, memory } = self;
        let memory = yaml(memory)?;
        let limits = match gpus {
            0 => String::new(),
            _ => format!("            limits:\n              nvidia.com/gpu: {gpus}\n"),
        };
        Ok(format!(
            r#"          resources:
            requests:
              cpu: {cpus}
              memory: {memory}
{limits}"#
        ))
    }
}

/// A text in YAML, of which JSON is a part.
fn yaml(text: &str) -> Result<String> {
    Ok(serde_json::to_string(text)?)
}

/// The model of a learner's command that is a folder of this machine.
fn folder_to_begin_from(command: &[String]) -> Option<&str> {
    let option = command.iter().position(|word| word == "--from");
    let after = option.and_then(|place| command.get(place + 1)).map(String::as_str);
    let model = after.or_else(|| command.iter().find_map(|word| word.strip_prefix("--from=")));
    model.filter(|model| released::named(Path::new(model)).is_none())
}

impl KubernetesArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        print!("{}", self.manifest()?);
        Ok(())
    }

    fn manifest(&self) -> Result<String> {
        let store = &self.place.store;
        ensure!(
            !store.starts_with("file:"),
            "--store {store}: pods share no folder; expected s3://BUCKET/RUN or gs://BUCKET/RUN"
        );
        let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        ensure!(
            (1..=40).contains(&self.name.len())
                && self.name.chars().all(is_plain)
                && !self.name.starts_with('-'),
            "--name {:?}: expected at most 40 of a-z, 0-9 and '-'",
            self.name
        );
        let train = self.learning.command(store)?;
        ensure!(
            !train.iter().any(|word| word.ends_with(".toml")),
            "a configuration in a file is not in the image: begin the run on a machine that has it, with `hotstone train \
             --store {store} --config FILE`, stop that, and leave out what follows `--`"
        );
        if let Some(model) = folder_to_begin_from(&train) {
            bail!(
                "the model {model} is not in the image, which has the released ones ({}): begin the run on a machine that \
                 has it, with `hotstone train --store {store} --from {model}` and the other arguments, stop that after its \
                 first checkpoint, and leave out what follows `--`",
                released::names()
            );
        }
        let worker =
            ["worker".to_owned(), "--store".to_owned(), store.clone(), "--slot".to_owned()];
        let slot = self.slots.slot("$(JOB_COMPLETION_INDEX)")?;
        let worker: Vec<String> = worker.into_iter().chain([slot]).collect();
        let workers = self.slots.workers;
        let learner_job = format!(
            "  # A new pod starts when the old one has gone: there is one learner.\n  \
             podReplacementPolicy: Failed\n  backoffLimit: {STARTS}\n"
        );
        let worker_job = format!(
            "  completionMode: Indexed\n  completions: {workers}\n  parallelism: {workers}\n  \
             backoffLimitPerIndex: {STARTS}\n"
        );
        Ok(format!(
            "{}---\n{}---\n{}",
            self.introduction(),
            self.job("learner", &learner_job, "FailJob", &train, &self.of_learner())?,
            self.job("worker", &worker_job, "FailIndex", &worker, &self.of_worker())?
        ))
    }

    fn of_learner(&self) -> Resources<'_> {
        Resources { cpus: self.cpus, gpus: self.gpus, memory: &self.memory }
    }

    fn of_worker(&self) -> Resources<'_> {
        let KubernetesArguments { worker_cpus, worker_gpus, worker_memory, .. } = self;
        Resources { cpus: *worker_cpus, gpus: *worker_gpus, memory: worker_memory }
    }

    fn introduction(&self) -> String {
        let KubernetesArguments { place: PlaceArguments { store }, name, .. } = self;
        let workers = self.slots.workers;
        format!(
            r#"# The learner and {workers} workers of the Hotstone run in {store}
#
# They reach the bucket as these service accounts, which your cloud has to connect with roles of its own (on EKS by the
# annotation eks.amazonaws.com/role-arn, on GKE by iam.gke.io/gcp-service-account), or with keys from secrets of the same
# names, which hold variables such as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL:
#     kubectl create secret generic {name}-learner --from-env-file=learner.env
#     kubectl create secret generic {name}-worker --from-env-file=worker.env
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {name}-learner
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {name}-worker
"#
        )
    }

    fn job(
        &self,
        part: &str,
        kind: &str,
        if_unfit: &str,
        command: &[String],
        resources: &Resources,
    ) -> Result<String> {
        let KubernetesArguments { name, image, .. } = self;
        let image = yaml(image)?;
        let mut words = String::new();
        for word in command {
            words.push_str(&format!("            - {}\n", yaml(word)?));
        }
        let resources = resources.lines()?;
        Ok(format!(
            r#"apiVersion: batch/v1
kind: Job
metadata:
  name: {name}-{part}
spec:
{kind}  podFailurePolicy:
    rules:
      # That a pod has to leave its node is no failure.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
      # It would fail again in the same way. After all other codes, such as 75, it is started again.
      - action: {if_unfit}
        onExitCodes:
          operator: In
          values: [2, 64]
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 60
      serviceAccountName: {name}-{part}
      containers:
        - name: {part}
          image: {image}
          args:
{words}          envFrom:
            - secretRef:
                name: {name}-{part}
                optional: true
{resources}"#
        ))
    }
}
