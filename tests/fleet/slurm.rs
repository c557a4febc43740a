//! The same under Slurm, on virtual nodes of this machine, as an ordinary user.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fleet::names;

use crate::arrivals::Arrivals;
use crate::folder::in_folder;
use crate::process::Process;
use crate::run::{CHANGES, Run};
use crate::wait::wait_for;

const ABSENT: &str = "Slurm is not installed. `apt-get install slurmctld slurmd slurm-client munge` does that; or, without \
    being root: `apt-get download slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2 libhwloc15 \
    liblua5.1-0`, `dpkg -x` each of them into one folder, and SLURM_ROOT=FOLDER";
const NODES: usize = 4;
const PROGRAM: &str = env!("CARGO_BIN_EXE_hotstone");

/// Slurm's daemons, with all that they write in a folder.
struct Cluster {
    home: tempfile::TempDir,
    environment: Vec<(&'static str, OsString)>,
    nodes: Vec<Option<Process>>,
    others: Vec<Process>,
}

/// Where Slurm is.
struct Installed {
    path: OsString,
    libraries: OsString,
    /// The line of the configuration that says where its plugins are.
    plugins: String,
}

impl Installed {
    fn find() -> Installed {
        let joined = |variable: &str, more: Vec<PathBuf>| {
            let old = env::var_os(variable).unwrap_or_default();
            env::join_paths(more.into_iter().chain(env::split_paths(&old))).unwrap()
        };
        let Some(root) = env::var_os("SLURM_ROOT").map(PathBuf::from) else {
            let path = joined("PATH", vec!["/usr/sbin".into()]);
            let libraries = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            return Installed { path, libraries, plugins: String::new() };
        };
        let of_machine = fs::read_dir(root.join("usr/lib")).expect(ABSENT);
        let libraries = of_machine.map(|it| it.unwrap().path());
        let libraries =
            libraries.into_iter().find(|it| it.join("slurm-wlm").exists()).expect(ABSENT);
        let plugins = libraries.join("slurm-wlm");
        Installed {
            path: joined("PATH", vec![root.join("usr/sbin"), root.join("usr/bin")]),
            plugins: format!("PluginDir={}", plugins.display()),
            libraries: joined("LD_LIBRARY_PATH", vec![libraries, plugins]),
        }
    }

    /// The path of a program, which Debian's packages call `NAME-wlm`.
    fn program(&self, name: &str) -> PathBuf {
        let names = [format!("{name}-wlm"), name.to_owned()];
        let mut paths = names.iter().flat_map(|name| {
            env::split_paths(&self.path).map(move |folder| folder.join(name)).collect::<Vec<_>>()
        });
        paths.find(|path| path.exists()).unwrap_or_else(|| panic!("no {name}: {ABSENT}"))
    }
}

impl Cluster {
    fn start() -> Cluster {
        let installed = Installed::find();
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name).display().to_string();
        fs::write(at("munge.key"), rand_bytes()).unwrap();
        fs::set_permissions(at("munge.key"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(at("slurm.conf"), configuration(home.path(), &installed.plugins)).unwrap();
        let environment = vec![
            ("PATH", installed.path.clone()),
            ("LD_LIBRARY_PATH", installed.libraries.clone()),
            ("SLURM_CONF", at("slurm.conf").into()),
        ];
        let (nodes, others) = ((0..NODES).map(|_| None).collect(), Vec::new());
        let mut cluster = Cluster { home, environment, nodes, others };
        let munge = ["socket", "key-file", "pid-file", "log-file", "seed-file"];
        let munge =
            munge.map(|it| format!("--{it}={}", cluster.at(&format!("munge.{}", &it[..3]))));
        let munged = cluster.daemon(
            &installed,
            "munged",
            &[&munge[..], &words("--foreground --force")].concat(),
        );
        cluster.others.push(munged);
        let controller = cluster.daemon(&installed, "slurmctld", &words("-D -i"));
        cluster.others.push(controller);
        for node in 0..NODES {
            cluster.start_node(node);
        }
        cluster
    }

    fn at(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    fn daemon(&self, installed: &Installed, name: &str, arguments: &[String]) -> Process {
        let log = || fs::File::create(self.at(&format!("{name}.out"))).unwrap();
        let mut command = Command::new(installed.program(name));
        command.args(arguments).envs(self.environment.iter().cloned());
        command.stdin(Stdio::null()).stdout(log()).stderr(log());
        Process::spawn(&mut command).unwrap()
    }

    fn start_node(&mut self, node: usize) {
        let installed = Installed::find();
        let steps = installed.program("slurmstepd").display().to_string();
        let arguments = words(&format!("-D -N n{node} -d {steps}"));
        self.nodes[node] = Some(self.daemon(&installed, "slurmd", &arguments));
    }

    /// What one of Slurm's commands prints; `None` if it fails.
    fn try_ask(&self, command: &str, input: &str) -> Option<String> {
        let list = words(command);
        let mut process = Command::new(&list[0]);
        process.args(&list[1..]).current_dir(self.home.path()).env_remove("SLURM_JOB_ID");
        process.envs(self.environment.iter().cloned());
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = process.spawn().unwrap_or_else(|_| panic!("{ABSENT}"));
        let mut stdin = process.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
        drop(stdin);
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        output.status.success().then_some(text)
    }

    fn ask(&self, command: &str) -> String {
        self.try_ask(command, "").unwrap_or_else(|| panic!("{command} failed"))
    }

    /// Pipes what `hotstone fleet slurm` prints into sbatch, and returns the job's number.
    fn submit(&self, part: &str, store: &str, rest: &[&str]) -> String {
        let mut command = Command::new(PROGRAM);
        command.args([
            "fleet",
            "slurm",
            part,
            "--store",
            store,
            "--program",
            PROGRAM,
            "--cpus",
            "1",
        ]);
        let output = command.args(rest).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let script = String::from_utf8(output.stdout).unwrap();
        self.try_ask("sbatch --parsable", &script).unwrap()
    }

    /// The number of the node on which a job runs.
    fn node_of(&self, job: &str) -> usize {
        self.ask(&format!("squeue --noheader --jobs {job} --format %N"))[1..].parse().unwrap()
    }

    /// Everything on the node of a worker ends, as in a power cut, and the controller notices.
    fn cut_power(&mut self, node: usize, store: &str, slot: usize) {
        let all = processes();
        let is_its = |it: &&Other| it.words.ends_with(&worker_words(store, slot));
        // The program, srun, and what has started them.
        let mut ends: Vec<u32> = all.iter().filter(is_its).map(|it| it.id).collect();
        let mut known = 0;
        while known < ends.len() {
            let process = all.iter().find(|it| it.id == ends[known]).unwrap();
            let parent = all.iter().find(|it| it.id == process.parent).map(|it| it.id);
            let is_step = process.words[0].starts_with("slurmstepd");
            ends.extend(parent.filter(|id| !is_step && !ends.contains(id)));
            known += 1;
        }
        assert!(ends.len() >= 5, "program, srun, script and two steps: {ends:?}");
        self.nodes[node].take().unwrap().kill();
        // All at once, and what would notice the end of others first.
        kill(ends.into_iter().rev());
        // What a node keeps of its jobs goes with it: it has no disk.
        fs::remove_dir_all(self.at(&format!("spool-n{node}"))).unwrap();
        self.ask(&format!("scontrol update nodename=n{node} state=down reason=test"));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.try_ask(&format!("scancel --user {}", user()), "");
        for _ in 0..100 {
            if self.try_ask("squeue --noheader", "").is_none_or(|jobs| jobs.is_empty()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

/// A configuration with nodes that exist only as far as Slurm is told, and with jobs that may start
/// again soon after they were stopped.
fn configuration(home: &Path, plugins: &str) -> String {
    let home = home.display();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim().split('.').next().unwrap();
    let user = user();
    let listeners: Vec<TcpListener> =
        (0..=NODES).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let ports: Vec<u16> = listeners.iter().map(|it| it.local_addr().unwrap().port()).collect();
    let mut text = format!(
        "ClusterName=test\n\
         SlurmctldHost={host}(127.0.0.1)\n\
         SlurmctldPort={}\n\
         SlurmUser={user}\n\
         SlurmdUser={user}\n\
         AuthType=auth/munge\n\
         AuthInfo=socket={home}/munge.soc,cred_expire=10\n\
         {plugins}\n\
         StateSaveLocation={home}/state\n\
         SlurmdSpoolDir={home}/spool-%n\n\
         SlurmctldPidFile={home}/slurmctld.pid\n\
         SlurmdPidFile={home}/slurmd-%n.pid\n\
         SlurmctldLogFile={home}/slurmctld.log\n\
         SlurmdLogFile={home}/slurmd-%n.log\n\
         ProctrackType=proctrack/linuxproc\n\
         TaskPlugin=task/none\n\
         SwitchType=switch/none\n\
         JobAcctGatherType=jobacct_gather/none\n\
         AccountingStorageType=accounting_storage/none\n\
         SelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\n\
         SchedulerParameters=bf_interval=3,sched_interval=5\n\
         PreemptType=preempt/partition_prio\n\
         PreemptMode=REQUEUE\n\
         ReturnToService=2\n\
         KillWait=20\n\
         SlurmdParameters=config_overrides\n\
         PartitionName=all Nodes=n[0-3] Default=YES PriorityTier=1\n\
         PartitionName=urgent Nodes=n[0-3] PriorityTier=2 PreemptMode=off\n",
        ports[NODES]
    );
    for (node, port) in ports[..NODES].iter().enumerate() {
        text += &format!(
            "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1\n"
        );
    }
    fs::create_dir(format!("{home}/state")).unwrap();
    text
}

fn user() -> String {
    let output = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn rand_bytes() -> Vec<u8> {
    use std::io::Read;
    let mut bytes = vec![0; 128];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

/// A process of this machine.
struct Other {
    id: u32,
    parent: u32,
    words: Vec<String>,
}

fn processes() -> Vec<Other> {
    let read = |id: u32| {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).ok()?;
        let state = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may have blanks.
        let parent = state.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        let words = line.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
        Some(Other { id, parent, words })
    };
    let names = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).filter_map(read).collect()
}

fn kill(ids: impl IntoIterator<Item = u32>) {
    let ids = ids.into_iter().map(|id| id.to_string());
    assert!(Command::new("kill").arg("-KILL").args(ids).status().unwrap().success());
}

impl Run {
    /// How many processes a slot has had.
    fn generations(&self, slot: usize) -> usize {
        let claims = names::claims(&slot.to_string().parse().unwrap());
        self.runtime.wait(self.store.list(&claims)).unwrap().len()
    }

    /// Waits for a new process in the slot, and for a game after that.
    fn wait_for_generation(&self, what: &str, slot: usize, before: usize) {
        wait_for(what, || self.generations(slot) > before);
        let games = self.newest().unwrap().games;
        self.wait_until("a game", |newest| newest.games > games);
        eprintln!("{what}: slot {slot} is at its process {}", self.generations(slot));
    }
}

/// The end of a worker's command.
fn worker_words(store: &str, slot: usize) -> Vec<String> {
    let slot = slot.to_string();
    ["worker", "--store", store, "--slot", &slot].map(str::to_owned).to_vec()
}

/// Kills a worker's program, and nothing else.
fn kill_worker(store: &str, slot: usize) {
    let is_it = |it: &Other| it.words[0] == PROGRAM && it.words[1..] == worker_words(store, slot);
    kill(processes().iter().find(|it| is_it(it)).map(|it| it.id));
}

#[test]
#[ignore = "takes minutes, and needs Slurm"]
fn so_are_they_under_slurm() {
    let mut cluster = Cluster::start();
    let (run, inside) = in_folder();
    let nodes = "sinfo --noheader --states idle --format %D";
    wait_for("a cluster", || cluster.try_ask(nodes, "").as_deref() == Some("4"));
    let arrived = Arrivals::watch(&inside);
    let store = run.url.clone();
    let folder = run.folder("learner").display().to_string();
    let train = ["--", "--config", "smoke", "--run", &folder];
    let changes: Vec<&str> = CHANGES.iter().flat_map(|&change| ["--set", change]).collect();
    let learner = cluster.submit("learner", &store, &[&train[..], &changes].concat());
    // They start before there is a run, and have to come again.
    let workers = cluster.submit("workers", &store, &["--workers", "3"]);
    let task = |slot: usize| format!("{workers}_{slot}");
    wait_for("the beginning", || run.newest().is_some());
    for slot in 0..3 {
        wait_for("a worker", || run.generations(slot) > 0);
    }
    run.wait_until("learning", |newest| newest.step() > 0);

    let before = run.generations(0);
    cluster.ask(&format!("scontrol requeue {}", task(0)));
    run.wait_for_generation("requeued", 0, before);

    let before = run.generations(1);
    kill_worker(&store, 1);
    run.wait_for_generation("killed", 1, before);

    // The last task of an array has the array's number; the others are to stay.
    let before: Vec<usize> = (0..3).map(|slot| run.generations(slot)).collect();
    kill_worker(&store, 2);
    run.wait_for_generation("killed", 2, before[2]);
    assert_eq!([0, 1].map(|slot| run.generations(slot)), before[..2]);

    let before = run.generations(2);
    let node = cluster.node_of(&task(2));
    let urgent = format!("sbatch --parsable --partition urgent --nodelist n{node}");
    cluster.try_ask(&urgent, "#!/bin/sh\nsleep 3\n").unwrap();
    run.wait_for_generation("preempted", 2, before);

    let before = run.generations(0);
    let node = cluster.node_of(&task(0));
    cluster.cut_power(node, &store, 0);
    let state = format!("squeue --noheader --jobs {} --format %t", task(0));
    wait_for("a requeue", || cluster.ask(&state) == "PD");
    cluster.start_node(node);
    cluster.ask(&format!("scontrol update nodename=n{node} state=resume"));
    run.wait_for_generation("node down", 0, before);

    // The time limit comes within the next minute, but not so soon that nobody is told before.
    let before = run.generations(1);
    let time = format!("squeue --noheader --jobs {} --format %M", task(1));
    let elapsed = || -> (u64, u64) {
        let text = cluster.ask(&time);
        let (minutes, seconds) = text.split_once(':').unwrap();
        (minutes.parse().unwrap(), seconds.parse().unwrap())
    };
    wait_for("the beginning of a minute", || elapsed().1 < 20);
    let limit = elapsed().0 + 1;
    cluster.ask(&format!("scontrol update jobid={} timelimit={limit}", task(1)));
    let state = format!("squeue --noheader --jobs {} --format %t", task(1));
    wait_for("a requeue", || cluster.ask(&state) == "PD");
    cluster.ask(&format!("scontrol update jobid={} timelimit=60", task(1)));
    run.wait_for_generation("out of time", 1, before);

    let begun = || run.commits().iter().filter(|it| it.event == fleet::Event::Opened).count();
    let before = begun();
    cluster.ask(&format!("scontrol requeue {learner}"));
    // What it writes when it is asked to stop is more learning too.
    wait_for("the learner again", || begun() > before);
    let step = run.newest().unwrap().step();
    run.wait_until("more learning", |newest| newest.step() > step);

    // Another learner goes on to the end, elsewhere.
    cluster.ask(&format!("scancel {learner}"));
    let queue = format!("squeue --noheader --jobs {learner}");
    wait_for("the learner's end", || cluster.try_ask(&queue, "").is_none_or(|it| it.is_empty()));
    run.set_budget(run.newest().unwrap().positions + 300);
    let last = cluster.submit("learner", &store, &[]);
    run.wait_until("the end", |newest| newest.ended);
    wait_for("an empty queue", || cluster.ask("squeue --noheader").is_empty());
    for job in [last, task(0), task(1), task(2)] {
        let end = cluster.ask(&format!("scontrol show job {job}"));
        assert!(end.contains("JobState=COMPLETED") && end.contains("ExitCode=0:0"), "{end}");
    }
    assert_eq!(begun(), before + 2, "the learner was asked to stop twice");
    run.check_commit_log(arrived.stop());
}
