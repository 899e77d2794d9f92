//! One network for all lanes of a generation at once: a device wants the leaves of every lane in one batch, and gets them in
//! rounds, so that what is in a batch does not depend on which thread comes first.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use selfplay_env::{Action, GameShape, Wdl};
use selfplay_mcts::{Network, Questions};

/// Where lanes meet.
struct Round {
    /// Judges for all; taken out while it does.
    network: Option<Box<dyn Network>>,
    /// Lanes that still ask.
    asking: usize,
    /// What they have asked in this round, by lane.
    asked: BTreeMap<usize, Asked>,
    /// What was answered and not yet fetched.
    answered: BTreeMap<usize, Asked>,
    /// Whether the network has failed while it judged.
    is_broken: bool,
}

/// The questions of a lane, in its own memory.
#[derive(Default)]
struct Asked {
    /// `[questions, planes, height, width]`.
    planes: Vec<f32>,
    answers: Vec<(Vec<Action>, Vec<f32>, Wdl)>,
}

/// The rounds of some lanes.
#[derive(Clone)]
struct Gathering {
    round: Arc<(Mutex<Round>, Condvar)>,
    game: Arc<str>,
    planes_len: usize,
}

/// Lets `network`, made for the game of `shape`, judge for as many lanes at once as `lanes`; returns one network for each. Each must
/// be used or dropped, since it is waited for.
pub fn gathered(network: Box<dyn Network>, shape: &GameShape, lanes: usize) -> Vec<GatheredNetwork> {
    let (game, planes_len) = (network.game().into(), shape.planes * shape.height * shape.width);
    let (asked, answered) = (BTreeMap::new(), BTreeMap::new());
    let round = Round { network: Some(network), asking: lanes, asked, answered, is_broken: false };
    let gathering = Gathering { round: Arc::new((Mutex::new(round), Condvar::new())), game, planes_len };
    (0..lanes).map(|lane| GatheredNetwork { gathering: gathering.clone(), lane }).collect()
}

impl Gathering {
    fn lock(&self) -> MutexGuard<'_, Round> {
        self.round.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges, if every lane that still asks has asked.
    fn judge_if_whole(&self) {
        let mut round = self.lock();
        if round.asked.is_empty() || round.asked.len() < round.asking {
            return;
        }
        let Some(mut network) = round.network.take() else { return };
        let mut all = Everyone::of(std::mem::take(&mut round.asked), self.planes_len);
        // Nobody else can be whole meanwhile: all lanes wait for this.
        drop(round);
        let waiting = Waiting(self);
        network.judge(&mut all);
        let mut round = self.lock();
        round.network = Some(network);
        round.answered.append(&mut all.asked);
        drop(round);
        drop(waiting);
    }
}

/// Wakes those who wait for answers, also where there are none because the network has panicked.
struct Waiting<'a>(&'a Gathering);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut round = self.0.lock();
        round.is_broken |= round.network.is_none();
        drop(round);
        self.0.round.1.notify_all();
    }
}

/// The network of one lane. While it is there its lane is waited for.
pub struct GatheredNetwork {
    gathering: Gathering,
    lane: usize,
}

impl Network for GatheredNetwork {
    fn game(&self) -> &str {
        &self.gathering.game
    }

    fn judge(&mut self, questions: &mut dyn Questions) {
        let len = self.gathering.planes_len;
        let mut asked = Asked { planes: vec![0.0; questions.len() * len], answers: Vec::new() };
        for question in 0..questions.len() {
            questions.encode(question, &mut asked.planes[question * len..][..len]);
            asked.answers.push((questions.answer(question).0.to_vec(), Vec::new(), Wdl::UNIFORM));
        }
        self.gathering.lock().asked.insert(self.lane, asked);
        self.gathering.judge_if_whole();
        let mut round = self.gathering.lock();
        let answered = loop {
            match round.answered.remove(&self.lane) {
                Some(answered) => break answered,
                None if round.is_broken => panic!("the network failed while it judged for all lanes"),
                None => round = self.gathering.round.1.wait(round).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(round);
        for (question, (_, found, worth)) in answered.answers.into_iter().enumerate() {
            let (_, priors, wdl) = questions.answer(question);
            *priors = found;
            *wdl = worth;
        }
    }

    /// # Panics
    /// Always: each lane has its network from [`gathered`], since all that are there are waited for.
    fn another(&self) -> Box<dyn Network> {
        panic!("the lanes of a round are settled when it begins")
    }
}

impl Drop for GatheredNetwork {
    /// The others go on without it.
    fn drop(&mut self) {
        self.gathering.lock().asking -= 1;
        self.gathering.judge_if_whole();
    }
}

/// The questions of all lanes, lane by lane.
struct Everyone {
    asked: BTreeMap<usize, Asked>,
    /// Lane and number of each question.
    places: Vec<(usize, usize)>,
    planes_len: usize,
}

impl Everyone {
    fn of(asked: BTreeMap<usize, Asked>, planes_len: usize) -> Self {
        let of_lane = |(&lane, asked): (&usize, &Asked)| (0..asked.answers.len()).map(move |number| (lane, number));
        let places = asked.iter().flat_map(of_lane).collect();
        Everyone { asked, places, planes_len }
    }
}

impl Questions for Everyone {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn encode(&self, question: usize, planes: &mut [f32]) {
        let (lane, number) = self.places[question];
        planes.copy_from_slice(&self.asked[&lane].planes[number * self.planes_len..][..self.planes_len]);
    }

    fn answer(&mut self, question: usize) -> (&[Action], &mut Vec<f32>, &mut Wdl) {
        let (lane, number) = self.places[question];
        let asked = self.asked.get_mut(&lane).expect("the lane has asked");
        let (actions, priors, wdl) = &mut asked.answers[number];
        (actions, priors, wdl)
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::{Game, rules};
    use selfplay_mcts::{Leaf, UniformNetwork};
    use selfplay_tictactoe::TicTacToe;

    use super::*;

    /// Notes how many questions each of its batches had.
    struct Counting(Arc<Mutex<Vec<usize>>>);

    impl Network for Counting {
        fn game(&self) -> &str {
            TicTacToe::spec().id
        }
        fn judge(&mut self, questions: &mut dyn Questions) {
            self.0.lock().unwrap().push(questions.len());
            UniformNetwork(TicTacToe::spec().id).judge(questions);
        }
        fn another(&self) -> Box<dyn Network> {
            Box::new(Counting(self.0.clone()))
        }
    }

    #[test]
    fn every_batch_has_the_leaves_of_all_lanes_that_still_ask() {
        let batches = Arc::new(Mutex::new(Vec::new()));
        let rules = rules::<TicTacToe>();
        let networks = gathered(Box::new(Counting(batches.clone())), &rules.shape(), 4);
        std::thread::scope(|scope| {
            for (lane, mut network) in networks.into_iter().enumerate() {
                // Lane L asks L + 1 times, two positions at a time.
                scope.spawn(move || {
                    for _ in 0..=lane {
                        let mut leaves = vec![Leaf::asking(rules.initial()), Leaf::asking(rules.initial())];
                        network.judge(&mut leaves);
                        assert!(leaves.iter().all(|leaf| leaf.priors.len() == 9));
                    }
                });
            }
        });
        assert_eq!(*batches.lock().unwrap(), [8, 6, 4, 2]);
    }
}
