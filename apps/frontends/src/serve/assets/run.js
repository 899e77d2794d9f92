// The page of a training run: asks for its numbers every few seconds, and for a picture when it has changed.

import { byId, h, percent } from './dom.js';
import { duration, generationText, number, numbersOf, phaseText, stateText } from './run-numbers.js';
import { wireTheme } from './theme.js';

const EVERY_MS = 3000;
const GIVEN_UP_MS = 20_000;
const OUTCOMES = [['first', 'first player'], ['second', 'second player'], ['draw', 'draw'], ['truncated', 'cut short']];

// Screen readers speak what changes: the same text is not set again.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

async function ask() {
  let response;
  try {
    response = await fetch('/api/run', { signal: AbortSignal.timeout(GIVEN_UP_MS) });
  } catch {
    throw new Error('the server does not answer');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `the server answered with status ${response.status}`);
  return answer;
}

function showState(run) {
  document.title = `${run.run} · ${generationText(run)}`;
  setText(byId('title'), `${run.run} · ${run.game}`);
  byId('state').dataset.state = run.state;
  setText(byId('state'), `${stateText(run)}, ${generationText(run)}`);
  byId('phase').hidden = !run.phase;
  if (!run.phase) return;
  setText(byId('phase-text'), phaseText(run.phase));
  if (run.phase.total > 0) byId('phase-bar').value = Math.min(1, run.phase.done / run.phase.total);
  else byId('phase-bar').removeAttribute('value');
}

function showDiagnostics(diagnostics) {
  byId('diagnostics').hidden = diagnostics.length === 0;
  byId('diagnostic-list').replaceChildren(...diagnostics.map((diagnostic) => h('li', {}, diagnostic)));
}

// The machines that play for the run, with the reason in the place of numbers where one may not.
function showWorkers(workers) {
  byId('workers').hidden = workers.length === 0;
  const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
  setText(byId('workers-title'), `Workers: ${workers.length}, ${threads} threads`);
  byId('worker-rows').replaceChildren(...workers.map((worker) => {
    const cells = worker.refusal
      ? [h('td', { colspan: 2 }, `refused: ${worker.refusal}`)]
      : [h('td', {}, String(worker.threads)), h('td', {}, number(worker.games_per_hour))];
    const heard = `${duration(Date.now() / 1000 - worker.heard_unix_seconds)} ago`;
    return h('tr', { title: worker.cpu }, h('td', {}, worker.name), ...cells, h('td', {}, heard));
  }));
}

function showNumbers(run) {
  const numbers = numbersOf(run);
  byId('nothing').hidden = numbers.length > 0;
  byId('number-list').replaceChildren(...numbers.map(([name, value, unit]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, String(value), ' ', h('span', {}, unit)))));
  const play = run.self_play;
  byId('outcomes').hidden = !play;
  if (!play) return;
  const parts = OUTCOMES.map(([key, name]) => [key, name, play[`${key}_share`]]).filter(([, , share]) => share > 0);
  byId('outcomes-bar').replaceChildren(...parts.map(([key, , share]) => {
    const part = h('span', { class: key });
    part.style.flexGrow = share;
    return part;
  }));
  setText(byId('outcomes-text'), parts.map(([, name, share]) => `${name} ${percent(share)}`).join(', '));
}

function showGate(matches) {
  byId('gate').hidden = matches.length === 0;
  if (matches.length === 0) return;
  const [{ generation, verdict }] = matches;
  setText(byId('gate-title'), `Gate of generation ${generation}${verdict ? `: ${verdict}` : ''}`);
  byId('gate-rows').replaceChildren(...matches.map((played) =>
    h('tr', {}, h('td', {}, played.b), h('td', {}, percent(played.score)), h('td', {}, String(played.games)))));
}

// A picture's address holds its version, so that one that has not changed is not fetched again.
function showPictures(pictures) {
  const known = new Map([...byId('pictures').children].map((figure) => [figure.dataset.name, figure]));
  const figures = pictures.map(({ name, title, description, version }) => {
    const figure = known.get(name)
      ?? h('figure', { class: 'card', 'data-name': name }, h('figcaption', {}),
        h('a', { title: 'The picture alone' }, h('img', { decoding: 'async' })));
    const image = figure.querySelector('img');
    const source = `/api/run/plots/${encodeURIComponent(name)}.svg?version=${version}`;
    if (image.getAttribute('src') !== source) image.setAttribute('src', source);
    image.parentElement.setAttribute('href', source);
    image.alt = description;
    setText(figure.querySelector('figcaption'), title);
    return figure;
  });
  const isSame = figures.length === known.size && figures.every((figure, i) => byId('pictures').children[i] === figure);
  if (!isSame) byId('pictures').replaceChildren(...figures);
}

let updated = null;

function showAge() {
  if (updated !== null) setText(byId('updated'), `Updated ${duration((Date.now() - updated) / 1000)} ago`);
}

async function update() {
  try {
    const run = await ask();
    showState(run);
    showDiagnostics(run.diagnostics);
    showWorkers(run.workers);
    showNumbers(run);
    showGate(run.matches);
    showPictures(run.pictures);
    updated = Date.now();
    byId('failure').hidden = true;
  } catch (error) {
    setText(byId('failure'), `The page could not be updated: ${error.message}. It is tried again.`);
    byId('failure').hidden = false;
    if (updated === null) setText(byId('state'), 'Nothing is known yet');
  }
  showAge();
  setTimeout(update, EVERY_MS);
}

wireTheme(byId('theme'));
setInterval(showAge, 1000);
update();
