//! Settings of a search.

/// The parameters of one search.
///
/// Two searches in one process may differ in all of them: nothing is global.
///
/// ```
/// use search::Settings;
///
/// let settings = Settings::to_win(800);
/// assert_eq!((settings.visit_offset, settings.gumbel_scale), (50.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Number of simulations *n*: the visits distributed over the root's moves. Simulations that
    /// end in a finished game cost no evaluation. 0 plays by the policy alone.
    ///
    /// Danihelka et al.: 2 to 200 on 9×9 Go, 400 on 19×19.
    pub simulations: u32,

    /// Number of root moves *m* that the first phase of sequential halving considers; never more
    /// than there are simulations or legal moves.
    ///
    /// Danihelka et al.: 16. With *m* = *n* the search is one ply deep.
    pub max_num_considered_actions: u32,

    /// `c_visit`, the constant part of the scale σ(q) = (c_visit + max N) · c_scale · q with q in
    /// \[0, 1\] from the mover's point of view.
    ///
    /// Danihelka et al. and mctx: 50.
    pub visit_offset: f32,

    /// `c_scale` of the same formula: how far a value moves a logit.
    ///
    /// Danihelka et al.: 1.0 for Go and chess, 0.1 for Atari. (mctx's default 0.1 belongs to values
    /// that were stretched to \[0, 1\] at every node, which we do not do.)
    pub value_scale: f32,

    /// Factor on the Gumbel noise at the root: 1 for training games, 0 for games played to win.
    pub gumbel_scale: f32,
}

impl Settings {
    /// Settings to find the best move rather than explore: without noise at the root.
    pub fn to_win(simulations: u32) -> Settings {
        Settings { simulations, gumbel_scale: 0.0, ..Settings::default() }
    }

    /// The same settings with another number of simulations, and at most half as many moves
    /// considered: otherwise sequential halving has nothing to halve, and more simulations gain
    /// nothing.
    pub fn with_simulations(self, simulations: u32) -> Settings {
        let considered = self.max_num_considered_actions.min(simulations / 2).max(1);
        Settings { simulations, max_num_considered_actions: considered, ..self }
    }
}

impl Default for Settings {
    /// The paper's values, with a number of simulations suited to self-play on small boards.
    fn default() -> Self {
        Settings {
            simulations: 32,
            max_num_considered_actions: 16,
            visit_offset: 50.0,
            value_scale: 1.0,
            gumbel_scale: 1.0,
        }
    }
}

impl Settings {
    /// The factor of σ(q) = scale · q when the most visited move has `most_visits` visits.
    pub(crate) fn scale(&self, most_visits: u32) -> f32 {
        (self.visit_offset + most_visits as f32) * self.value_scale
    }
}
