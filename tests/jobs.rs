//! Job files for schedulers: what is printed, that shells and schedulers accept it, and what a job
//! does when its program ends.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::hotstone;

/// Job files as they are printed, each with the command that prints it.
const PRINTED: [(&str, &str); 4] = [
    (
        "slurm-learner.sh",
        "fleet slurm learner --store file:///scratch/go/run --cpus 16 --gpus 1 -- --config gpu-9 --rules tile",
    ),
    (
        "slurm-workers.sh",
        "fleet slurm workers --store file:///scratch/go/run --workers 64 --time 4:00:00 --slots cpu-",
    ),
    ("slurm-resumed.sh", "fleet slurm learner --store s3://bucket/run --program /opt/go/hotstone"),
    (
        "kubernetes.yaml",
        "fleet k8s --store s3://bucket/run --workers 64 --image registry.example.org/hotstone-train:1 --gpus 1 -- \
         --config gpu-9 --rules tile",
    ),
];

fn printed(command: &str) -> String {
    let output = hotstone(&command.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

#[test]
fn job_files_are_as_they_were() {
    for (name, command) in PRINTED {
        let (printed, expected) = (printed(command), fs::read_to_string(golden(name)).unwrap());
        assert!(
            printed == expected,
            "tests/golden/{name} is not what `hotstone {command}` prints, which is\n{printed}"
        );
    }
}

#[test]
fn mistakes_are_found_before_a_job_waits() {
    let workers = "fleet slurm workers --workers 2 --store";
    for (command, why) in [
        (format!("{workers} /scratch/run"), "expected file:///FOLDER"),
        ("fleet slurm workers --workers 0 --store s3://b/r".to_owned(), "0 is not in 1.."),
        (format!("{workers} s3://b/r --slots a_"), "expected a-z, 0-9 and '-'"),
        (format!("{workers} s3://b/r --time soon"), "expected a time as sbatch takes it"),
        (
            "fleet slurm learner --store s3://b/r -- --config 99".to_owned(),
            "--config 9 --rules tile",
        ),
        ("fleet slurm learner --store s3://b/r -- --confg 9".to_owned(), "--config"),
        ("fleet slurm learner --store s3://b/r -- --resume --rules go".to_owned(), "--resume"),
        (
            "fleet slurm learner --store s3://b/r -- --config smoke --print-config".to_owned(),
            "learns nothing: leave it out",
        ),
        (format!("{workers} s3://b/r --program "), "a value is required for '--program"),
        ("fleet k8s --workers 2 --store file:///scratch/run".to_owned(), "pods share no folder"),
        (
            "fleet k8s --workers 2 --store s3://b/r --image ".to_owned(),
            "a value is required for '--image",
        ),
        ("fleet k8s --workers 2 --store s3://b/r --name A".to_owned(), "at most 40 of a-z"),
        (
            "fleet k8s --workers 2 --store s3://b/r -- --config configs/smoke.toml".to_owned(),
            "is not in the image",
        ),
        (
            "fleet k8s --workers 2 --store s3://b/r -- --config 7 --rules go --from models/released/beginner"
                .to_owned(),
            "the model models/released/beginner is not in the image",
        ),
        (
            "fleet k8s --workers 2 --store s3://b/r -- --config 7 --rules go --from=models/released/beginner"
                .to_owned(),
            "the model models/released/beginner is not in the image",
        ),
    ] {
        let output = hotstone(&command.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(why), "{command}: {error}");
    }
}

/// Runs a script with programs of these names, each of which is a line of shell.
#[cfg(unix)]
fn run_with(script: &str, programs: &[(&str, &str)], folder: &Path) -> Output {
    use std::os::unix::fs::PermissionsExt;

    for (name, line) in programs {
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\n{line}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).current_dir(folder).env("PATH", path);
    let task = [("JOB_ID", "70"), ("ARRAY_JOB_ID", "70"), ("ARRAY_TASK_ID", "3")];
    bash.envs(task.map(|(name, value)| (format!("SLURM_{name}"), value)));
    bash.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_job_goes_back_into_the_queue_unless_it_is_done_or_hopeless() {
    let workers = printed("fleet slurm workers --store s3://b/r --workers 64");
    let learner = printed("fleet slurm learner --store s3://b/r");
    // The last task of an array has the array's number: by that all tasks would start anew.
    for (script, number) in [(&workers, "70_3"), (&learner, "70")] {
        for code in [0, 1, 2, 64, 75, 137, 143] {
            let folder = tempfile::tempdir().unwrap();
            let srun = format!("echo \"$@\" > srun.txt; exit {code}");
            let stubs = [("srun", srun.as_str()), ("scontrol", "echo \"$@\" > scontrol.txt")];
            let output = run_with(script, &stubs, folder.path());
            let asked = fs::read_to_string(folder.path().join("scontrol.txt"));
            if [0, 2, 64].contains(&code) {
                assert_eq!(output.status.code(), Some(code));
                assert!(asked.is_err(), "code {code}: {asked:?}");
            } else {
                assert_eq!(asked.unwrap(), format!("requeue {number}\n"), "code {code}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_job_starts_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let stub = [("srun", "shift; printf '<%s>' \"$@\"")];
    let output = |arguments: &[&str]| {
        let printed = hotstone(arguments);
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let script = String::from_utf8(printed.stdout).unwrap();
        String::from_utf8(run_with(&script, &stub, folder.path()).stdout).unwrap()
    };
    let store = "file:///my runs/it's";
    let workers =
        ["fleet", "slurm", "workers", "--store", store, "--workers", "4", "--slots", "a-"];
    assert_eq!(output(&workers), format!("<hotstone><worker><--store><{store}><--slot><a-3>"));
    let set = "self_play.simulations=[[0.0, 64]]";
    let learner =
        ["fleet", "slurm", "learner", "--store", store, "--", "--config", "smoke", "--set"];
    assert_eq!(
        output(&[&learner[..], &[set]].concat()),
        format!(
            "<hotstone><train><--store><{store}><--begin-or-resume><--config><smoke><--set><{set}>"
        )
    );
}

/// The versions of Kubernetes whose schemas the manifest is held against.
const VERSIONS: [&str; 3] = ["1.30", "1.33", "1.37"];

/// What each of them refuses in place of what is right.
const MISTAKES: [(&str, &str); 4] = [
    ("backoffLimitPerIndex:", "backofLimitPerIndex:"),
    ("podReplacementPolicy:", "podReplacmentPolicy:"),
    ("          operator: In\n", ""),
    ("completions: ", "completions: x"),
];

#[test]
#[ignore = "installs kubernetes-validate from PyPI"]
fn kubernetes_takes_the_manifest_and_notices_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let home = folder.path().join("venv");
    assert!(run(Path::new("python3"), &["-m", "venv", home.to_str().unwrap()]).0);
    let install = ["install", "--quiet", "kubernetes-validate==1.37.0"];
    assert!(run(&home.join("bin/pip"), &install).0);
    let takes = |version: &str, manifest: &str| {
        let file = folder.path().join("manifest.yaml");
        fs::write(&file, manifest).unwrap();
        let program = home.join("bin/kubernetes-validate");
        run(&program, &["--strict", "-k", version, file.to_str().unwrap()])
    };

    let plain = "fleet k8s --store gs://bucket/run --workers 3 --worker-gpus 1";
    for manifest in [&printed(PRINTED[3].1), &printed(plain)] {
        for version in VERSIONS {
            let (is_taken, said) = takes(version, manifest);
            assert!(is_taken, "{version}: {said}\n{manifest}");
            for (right, wrong) in MISTAKES {
                assert!(manifest.contains(right), "{right}");
                let (is_taken, _) = takes(version, &manifest.replace(right, wrong));
                assert!(!is_taken, "{version} takes {wrong:?} in place of {right:?}");
            }
            // Newer versions take it for "True" themselves.
            let (is_taken, _) =
                takes(version, &manifest.replace("            status: \"True\"\n", ""));
            assert_eq!(is_taken, version == "1.37", "{version} without the condition's status");
        }
    }
}
