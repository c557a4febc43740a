//! The host of the games in a page: handles requests, games, and searches, which take turns.

use std::collections::{HashMap, VecDeque};

use interface::{
    ANALYSIS_SIMULATIONS, AnalysisOptions, AnalysisView, AnswerView, Catalogue, Comparison,
    ExampleView, GameView, GraphView, LARGEST_COMPARISON, Language, NewGame, NewTurn, Offer,
    PuzzleList, PuzzleView, Refusal, Secret, StartedGame, StepView, StoredGame, Table, Text,
    UploadedGame, ViewContext,
};
use search::Random;
use serde::de::DeserializeOwned;

use crate::message::{Body, Message, Request, json};
use crate::task::{Analysis, ComparisonAnalysis, GameEvaluation, Reply};

/// Answers requests about games, and searches in between.
pub struct Host {
    catalogue: Catalogue,
    random: Random,
    rooms: HashMap<Secret, Room>,
    /// Number of changes of all games so far.
    changes: u64,
    tasks: VecDeque<Task>,
    messages: Vec<Message>,
    /// The language of the page.
    language: &'static Language,
}

/// A game and what is in progress in it.
struct Room {
    table: Table,
    version: u64,
    /// Whether a task searches for a program's move.
    thinking: bool,
    trouble: Option<Refusal>,
    /// Requests to be answered when no program is to move.
    waiting: Vec<u32>,
}

/// A search in progress, for a game or for a comparison in the laboratory.
enum Task {
    Game(Secret, Work),
    Laboratory(u32, Box<ComparisonAnalysis>),
}

enum Work {
    /// The search for a program's move, by the model with index `evaluating_model`.
    Reply { evaluating_model: usize, reply: Box<Reply> },
    /// For a request, about `version` of the game: a program may move meanwhile. `course` is the
    /// number of turns whose value is found, if it belongs to the game's course.
    Analysis {
        number: u32,
        model: usize,
        version: u64,
        course: Option<usize>,
        analysis: Box<Analysis>,
    },
    /// For a request.
    Evaluation(u32, GameEvaluation),
}

/// An answer; `None` means that it will come later.
type Answer = Result<Option<Body>, Refusal>;

impl Host {
    /// A host without games. `seed` determines the names of games and seats.
    pub fn new(catalogue: Catalogue, seed: u64) -> Host {
        Host {
            catalogue,
            random: Random::new(seed),
            rooms: HashMap::new(),
            changes: 0,
            tasks: VecDeque::new(),
            messages: Vec::new(),
            language: Language::english(),
        }
    }

    /// Accepts a request in JSON.
    ///
    /// # Errors
    /// It is not a valid request.
    pub fn request(&mut self, text: &[u8]) -> Result<(), serde_json::Error> {
        let request: Request = serde_json::from_slice(text)?;
        self.language = Language::accepted(&request.language);
        if let Some(answer) = self.answer(&request).transpose() {
            self.messages.push(Message::answer(request.number, answer, self.language));
        }
        Ok(())
    }

    /// Advances a search by one batch; `false` once there is none.
    pub fn think(&mut self) -> bool {
        if let Some(mut task) = self.tasks.pop_front()
            && !self.advance(&mut task)
        {
            self.tasks.push_front(task);
        }
        !self.tasks.is_empty()
    }

    /// The messages for the page, in order.
    pub fn messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let (path, query) = request.address();
        let number = request.number;
        let body = match (request.method.as_str(), path.as_slice()) {
            ("GET", ["api", "variants"]) => json(Offer::of(&self.catalogue, false, self.language)),
            ("GET", ["api", "rules"]) => {
                json(asked::<Text>(query)?.examine(&self.catalogue, self.language))
            }
            ("GET", ["api", "examples"]) => json(ExampleView::all(self.language)),
            ("GET", ["api", "words"]) => json(self.language.words()),
            ("GET", ["api", "puzzles"]) => json(PuzzleList::all()),
            ("GET", ["api", "puzzles", rules, number]) => {
                json(PuzzleView::of(rules, number, self.language)?)
            }
            ("GET", ["api", "puzzles", rules, number, played]) => {
                json(AnswerView::of(rules, number, played, self.language)?)
            }
            ("POST", ["api", "games"]) => {
                let wanted: NewGame = request.read()?;
                let mut secret = || secret(&mut self.random);
                let table = wanted.table(&self.catalogue, &mut secret)?;
                self.open(table, &[])
            }
            ("POST", ["api", "games", "import"]) => {
                let upload: UploadedGame = request.read()?;
                let mut secret = || secret(&mut self.random);
                let (table, defects) = upload.table(&self.catalogue, &mut secret)?;
                self.open(table, &defects)
            }
            ("POST", ["api", "laboratory"]) => return self.compare(number, request.read()?),
            ("DELETE", ["api", "requests", abandoned]) => {
                let abandoned: u32 = abandoned.parse().map_err(|_| Refusal::NoSuchAddress)?;
                self.cancel(|task| task.request() == Some(abandoned));
                json(())
            }
            (method, ["api", "games", id, rest @ ..]) => {
                let id = id.parse().map_err(|_| Refusal::NoSuchGame)?;
                return self.answer_about(id, method, rest, query, request);
            }
            _ => return Err(Refusal::NoSuchAddress),
        };
        Ok(Some(body))
    }

    /// The answer to a request about a game: its new state, unless the URL asks for something else.
    fn answer_about(
        &mut self,
        id: Secret,
        method: &str,
        address: &[&str],
        query: &str,
        request: &Request,
    ) -> Answer {
        let number = request.number;
        let token = request.token.as_ref().and_then(|token| token.parse().ok());
        match (method, address) {
            ("PUT", []) => self.restore(id, &request.read()?)?,
            ("GET", []) => {
                if self.room(id)?.trouble.is_none() {
                    self.let_program_move(id);
                }
            }
            ("POST", ["moves"]) => {
                let turn: NewTurn = request.read()?;
                let played = turn.played()?;
                self.change(id, |table| table.play(token, played))?;
                if turn.wait {
                    return self.wait(id, number);
                }
            }
            ("POST", ["undo"]) => self.change(id, |table| table.undo(token))?,
            ("POST", ["resign"]) => self.change(id, |table| table.resign(token))?,
            ("POST", ["reply"]) => {
                self.room(id)?.table.program_to_move().ok_or(Refusal::NoReplyDue)?;
                self.let_program_move(id);
                return self.wait(id, number);
            }
            ("GET", ["positions", turn]) => {
                let language = self.language;
                let game = &self.room(id)?.table.game;
                return Ok(Some(json(StepView::at(game, turn, language)?)));
            }
            ("GET", ["analysis"]) => return self.analyse(id, number, &asked(query)?),
            ("GET", ["graph"]) => return self.graph(id, number),
            _ => return Err(Refusal::NoSuchAddress),
        }
        Ok(Some(json(self.view(id)?)))
    }

    fn room(&mut self, id: Secret) -> Result<&mut Room, Refusal> {
        self.rooms.get_mut(&id).ok_or(Refusal::NoSuchGame)
    }

    fn view(&self, id: Secret) -> Result<GameView, Refusal> {
        let room = self.rooms.get(&id).ok_or(Refusal::NoSuchGame)?;
        let context = ViewContext {
            id,
            version: room.version,
            thinking: room.thinking,
            trouble: room.trouble.as_ref().map(|trouble| trouble.in_language(self.language)),
            catalogue: &self.catalogue,
            language: self.language,
        };
        Ok(GameView::of(&room.table, context))
    }

    fn seat(&mut self, id: Secret, table: Table) {
        // If an earlier state of an open game is opened, requests may be waiting in the later one.
        let waiting = self.rooms.remove(&id).map(|room| room.waiting).unwrap_or_default();
        let room = Room { table, version: 0, thinking: false, trouble: None, waiting };
        self.rooms.insert(id, room);
        self.let_program_move(id);
        self.announce(id);
    }

    fn open(&mut self, table: Table, defects: &[String]) -> Body {
        let id = secret(&mut self.random);
        self.seat(id, table);
        let room = self.rooms.get(&id);
        let begun = room.zip(self.view(id).ok());
        json(begun.map(|(room, view)| StartedGame::of(&room.table, view, defects, self.language)))
    }

    /// Opens a game from its stored form, unless it is open and has not changed since.
    fn restore(&mut self, id: Secret, saved: &StoredGame) -> Result<(), Refusal> {
        let is_open = self.rooms.get(&id).is_some_and(|room| saved_form(&room.table) == *saved);
        if !is_open {
            let damaged = || Refusal::BadRequest("the game in this link is damaged".to_owned());
            let table = Table::restore(saved).ok_or_else(damaged)?;
            self.cancel(|task| task.is_for(id));
            self.seat(id, table);
        }
        Ok(())
    }

    /// Changes a game, and lets a program answer if it is then to move. A change that fails must
    /// leave the table as it was.
    fn change(
        &mut self,
        id: Secret,
        act: impl FnOnce(&mut Table) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let room = self.room(id)?;
        act(&mut room.table)?;
        (room.thinking, room.trouble) = (false, None);
        self.cancel(|task| task.is_for(id));
        self.let_program_move(id);
        self.announce(id);
        Ok(())
    }

    /// Ends searches that are no longer needed.
    fn cancel(&mut self, is_useless: impl Fn(&Task) -> bool) {
        let tasks = std::mem::take(&mut self.tasks);
        let (ended, going_on) = tasks.into_iter().partition(is_useless);
        self.tasks = going_on;
        let ended: VecDeque<Task> = ended;
        for number in ended.iter().filter_map(Task::request) {
            let changed = Refusal::Search("the game has changed".to_owned());
            self.messages.push(Message::answer(number, Err(changed), self.language));
        }
    }

    /// Starts the search of a program that is to move and is not searching yet, ahead of all
    /// others.
    fn let_program_move(&mut self, id: Secret) {
        let Some(room) = self.rooms.get_mut(&id).filter(|room| !room.thinking) else { return };
        let Some((name, level)) = room.table.program_to_move() else { return };
        let Some(model) = self.catalogue.model_for_player(name, room.table.game.rules()) else {
            room.trouble = Some(Refusal::NoModel);
            return;
        };
        let position = room.table.game.position().clone();
        let (evaluating_model, strength) = self.catalogue.strength(model, position.rules(), level);
        let reply = Reply::new(id, position, strength, self.catalogue.model(evaluating_model));
        (room.thinking, room.trouble) = (true, None);
        self.tasks
            .push_front(Task::Game(id, Work::Reply { evaluating_model, reply: Box::new(reply) }));
    }

    /// Notifies the page of a change, and answers requests that have waited for a program.
    fn announce(&mut self, id: Secret) {
        self.changes += 1;
        let Some(room) = self.rooms.get_mut(&id) else { return };
        room.version = self.changes;
        let waiting = if room.thinking { Vec::new() } else { std::mem::take(&mut room.waiting) };
        let (saved, file) = (saved_form(&room.table), room.table.file(id));
        let (Ok(view), Ok((name, sgf))) = (self.view(id), file) else { return };
        let answers = waiting
            .into_iter()
            .map(|number| Message::answer(number, Ok(json(&view)), self.language));
        self.messages.extend(answers);
        self.messages.push(Message::Game { view: Box::new(view), saved, name, sgf });
    }

    fn wait(&mut self, id: Secret, number: u32) -> Answer {
        let room = self.room(id)?;
        if room.thinking {
            room.waiting.push(number);
            return Ok(None);
        }
        Ok(Some(json(self.view(id)?)))
    }

    /// Analyses a position. The page looks at one position at a time, so an earlier analysis ends.
    fn analyse(&mut self, id: Secret, number: u32, wanted: &AnalysisOptions) -> Answer {
        let room = self.room(id)?;
        let position = wanted.position(&room.table.game)?;
        let course = wanted.belongs_to_course().then(|| room.table.game.turns().len());
        let version = room.version;
        let model = self.catalogue.model_for(position.rules()).ok_or(Refusal::NoModel)?;
        let evaluating_model = self.catalogue.model(model);
        let analysis =
            Analysis::new(position, ANALYSIS_SIMULATIONS, wanted.occupancy, evaluating_model);
        let work = Work::Analysis { number, model, version, course, analysis: Box::new(analysis) };
        self.cancel(|task| matches!(task, Task::Game(_, Work::Analysis { .. })));
        self.tasks.push_back(Task::Game(id, work));
        Ok(None)
    }

    /// Compares two rule sets. The page looks at one comparison at a time, so an earlier one ends.
    fn compare(&mut self, number: u32, wanted: Comparison) -> Answer {
        let comparison =
            ComparisonAnalysis::new(wanted.play(LARGEST_COMPARISON)?, &self.catalogue)?;
        self.cancel(|task| matches!(task, Task::Laboratory(..)));
        self.tasks.push_back(Task::Laboratory(number, Box::new(comparison)));
        Ok(None)
    }

    fn graph(&mut self, id: Secret, number: u32) -> Answer {
        let room = self.rooms.get(&id).ok_or(Refusal::NoSuchGame)?;
        let model = self.catalogue.model_for(room.table.game.rules()).ok_or(Refusal::NoModel)?;
        match GameEvaluation::new(&room.table, self.catalogue.model(model)) {
            None => Ok(Some(json(GraphView::of(&room.table, room.version)))),
            Some(evaluation) => {
                self.tasks.push_back(Task::Game(id, Work::Evaluation(number, evaluation)));
                Ok(None)
            }
        }
    }

    /// Takes one step of a task; `true` if it is done.
    fn advance(&mut self, task: &mut Task) -> bool {
        match task {
            Task::Game(id, work) => self.advance_in(*id, work),
            Task::Laboratory(number, comparison) => {
                let Some(found) = comparison.step().transpose() else { return false };
                let answer = found.map(|[first, second]| {
                    let [evaluating_model, other] =
                        comparison.models.map(|model| self.catalogue.model(model).name.as_str());
                    let boards = comparison.compared.boards(self.language);
                    json(boards.view([(evaluating_model, first), (other, second)]))
                });
                self.messages.push(Message::answer(*number, answer, self.language));
                true
            }
        }
    }

    fn advance_in(&mut self, id: Secret, work: &mut Work) -> bool {
        let Some(room) = self.rooms.get_mut(&id) else { return true };
        match work {
            Work::Reply { evaluating_model, reply } => {
                let Some(choice) = reply.step().transpose() else { return false };
                let played = choice.and_then(|choice| {
                    if self.catalogue.is_model_for(*evaluating_model, room.table.game.rules()) {
                        room.table.remember(room.table.game.turns().len(), choice.value);
                    }
                    room.table.game.play(choice.played).map_err(Refusal::Illegal)
                });
                room.thinking = false;
                room.trouble = played.err();
                if room.trouble.is_none() {
                    // A turn may have several stones.
                    self.let_program_move(id);
                }
                self.announce(id);
            }
            Work::Analysis { number, model, version, course, analysis } => {
                let Some(found) = analysis.step().transpose() else { return false };
                let name = &self.catalogue.model(*model).name;
                let answer = found.map(|(choice, ownership)| {
                    if let Some((choice, turns)) = choice.as_ref().zip(*course) {
                        room.table.remember(turns, choice.value);
                    }
                    let position = &analysis.position;
                    json(AnalysisView::of(name, *version, position, choice, ownership))
                });
                self.messages.push(Message::answer(*number, answer, self.language));
            }
            Work::Evaluation(number, evaluation) => {
                let Some(found) = evaluation.step().transpose() else { return false };
                let answer = found.map(|values| {
                    values.into_iter().for_each(|(turn, value)| room.table.remember(turn, value));
                    json(GraphView::of(&room.table, room.version))
                });
                self.messages.push(Message::answer(*number, answer, self.language));
            }
        }
        true
    }
}

impl Task {
    /// The request that is waiting for it.
    fn request(&self) -> Option<u32> {
        match self {
            Task::Game(_, Work::Reply { .. }) => None,
            Task::Game(_, Work::Analysis { number, .. } | Work::Evaluation(number, _))
            | Task::Laboratory(number, _) => Some(*number),
        }
    }

    fn is_for(&self, game: Secret) -> bool {
        match self {
            Task::Game(id, _) => *id == game,
            Task::Laboratory(..) => false,
        }
    }
}

/// Parses the query of a URL.
fn asked<T: DeserializeOwned>(query: &str) -> Result<T, Refusal> {
    serde_urlencoded::from_str(query).map_err(|error| Refusal::BadRequest(error.to_string()))
}

/// A new name.
fn secret(random: &mut Random) -> Secret {
    Secret::new(u128::from(random.bits()) << 64 | u128::from(random.bits()))
}

/// The form from which the game can be reopened, short enough for a link: evaluations are omitted
/// because they can be recomputed.
fn saved_form(table: &Table) -> StoredGame {
    StoredGame { values: "[]".to_owned(), ..table.save() }
}
