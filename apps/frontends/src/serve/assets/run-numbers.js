// Numbers and sentences of the run page.

import { percent } from './dom.js';

const SECOND = 1, MINUTE = 60, HOUR = 3600, DAY = 86400;

// Three digits or so: 1.23, 45.6, 789, 12.3k.
export function number(value) {
  const [scaled, unit] =
    Math.abs(value) >= 999500 ? [value / 1e6, 'M'] : Math.abs(value) >= 9999.5 ? [value / 1e3, 'k'] : [value, ''];
  const size = Math.abs(scaled);
  return scaled.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2) + unit;
}

export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, '0');
  if (whole < MINUTE) return `${whole / SECOND} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${two(whole % MINUTE)} s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${two(Math.floor((whole % HOUR) / MINUTE))} min`;
  return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
}

// Whether the run goes on, in a sentence that stays the same as long as that does not change.
export function stateText(run) {
  const at = (seconds) => new Date(seconds * 1000).toLocaleString();
  if (run.state === 'running') return 'Running';
  return `${run.state === 'finished' ? 'Finished' : 'Stopped'} at ${at(run.since_unix_seconds)}`;
}

export function generationText(run) {
  if (run.generation === null) return 'no generation yet';
  return run.last_generation === null
    ? `generation ${run.generation}`
    : `generation ${run.generation} of ${run.last_generation}`;
}

export function phaseText(phase) {
  const counted = phase.total > 0 ? `${phase.done} of ${phase.total} ${phase.units}` : `${phase.done} ${phase.units}`;
  const rate = phase.per_second === null ? '' : `, ${number(phase.per_second)}/s`;
  const left = phase.seconds_left === null ? '' : `, ${duration(phase.seconds_left)} left`;
  return `Generation ${phase.generation}, ${phase.name}: ${counted}${rate}${left}`;
}

// Name, value and unit of each number that the run has.
export function numbersOf(run) {
  const { self_play: play, learning, newest, champion, totals } = run;
  const rating = (of) => [Math.round(of.elo), `${Math.round(of.elo_low)} to ${Math.round(of.elo_high)}`];
  const numbers = [];
  if (newest) numbers.push([`Elo, generation ${newest.generation}`, ...rating(newest)]);
  if (champion) numbers.push([`Elo, champion (${champion.generation})`, ...rating(champion)]);
  if (play?.positions_per_second != null) numbers.push(['Positions per second', number(play.positions_per_second), '']);
  if (play) {
    numbers.push(['Policy entropy', number(play.policy_entropy_nats), 'nats']);
    numbers.push(['Policy surprise', number(play.policy_surprise_nats), 'nats']);
    numbers.push(['Game length', number(play.mean_game_plies), 'plies']);
  }
  if (learning) {
    numbers.push(['Policy loss', number(learning.policy_loss), 'nats']);
    numbers.push(['Value loss', number(learning.value_loss), 'nats']);
    numbers.push(['Learning rate', learning.learning_rate, '']);
    numbers.push(['Training steps', learning.step.toLocaleString('en'), '']);
    numbers.push(['Replay', number(learning.replay_positions), 'positions']);
  }
  if (run.replay_generations !== null) numbers.push(['Replay age', number(run.replay_generations), 'generations']);
  if (run.cpu_share !== null) numbers.push(['CPU use', percent(run.cpu_share), '']);
  if (play) numbers.push(['Games so far', totals.games.toLocaleString('en'), '']);
  return numbers;
}
