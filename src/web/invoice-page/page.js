/* Updates the page when its invoice changes, counts down by the server's time, and copies texts. Renders no texts itself. */

const POLL_MS = 3_000;
/* Number of polls between attempts to open a stream. */
const POLLS_A_STREAM = 20;
const RETRY_DELAY_MS = 3_000;
const COPIED_MS = 2_500;

const root = document.documentElement;
const main = document.querySelector('main');
const { title } = document;
const path = location.pathname;
const byId = (id) => document.getElementById(id);

let coin = 'trx';
let stream;
let polling;
let again;
let renewal;
let requests = 0;
/* Difference between the server's clock and the page's monotonic clock, in milliseconds. */
let ahead = Number(main.dataset.now) - performance.now();

const leftMs = () => Number(main.dataset.endsAt) - performance.now() - ahead;
const isFinal = () => 'final' in main.dataset;

/* Updates */

async function check() {
  clearTimeout(again);
  again = undefined;
  try {
    const answer = await fetch(`${path}/status`, { cache: 'no-store' });
    if (answer.status === 404) return location.reload();
    if (!answer.ok) throw new Error(answer.status);
    await hear(await answer.json());
    byId('offline').hidden = true;
  } catch {
    lost();
  }
}

function lost() {
  byId('offline').hidden = false;
  again ??= setTimeout(check, RETRY_DELAY_MS);
}

async function hear(state) {
  ahead = state.now - performance.now();
  if (state.fingerprint === main.dataset.fingerprint) return;
  /* The result of an earlier check no longer holds. */
  byId('said').textContent = '';
  await renew();
}

async function renew(method = 'GET') {
  requests += 1;
  const own = requests;
  const answer = await fetch(location.href, { method, cache: 'no-store' });
  if (answer.status === 404) return location.reload();
  if (!answer.ok) throw new Error(answer.status);
  const html = await answer.text();
  /* A later request has started; its response is newer. */
  if (own !== requests) return;
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  const { activeElement } = document;
  const focused = byId('details').contains(activeElement) && activeElement.id;
  for (const id of ['state', 'details']) {
    const part = fresh.getElementById(id);
    /* Unchanged parts stay, so that screen readers don't announce them again. */
    if (!byId(id).isEqualNode(part)) byId(id).replaceChildren(...part.childNodes);
  }
  for (const name of Object.keys(main.dataset)) delete main.dataset[name];
  Object.assign(main.dataset, fresh.querySelector('main').dataset);
  const heading = document.querySelector('h1');
  document.title = `${heading.textContent} · ${title}`;
  if (focused !== false) (byId(focused) ?? heading).focus();
  dress();
  if (isFinal()) leave();
}

/* Posts the form without leaving the page. The response is the page with the result. */
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = byId('check');
  if (button.disabled) return;
  button.disabled = true;
  await renew('POST').catch(lost);
  button.disabled = false;
  byId('said').textContent = byId('checked')?.textContent ?? '';
});

/* Streaming and polling */

function listen() {
  stream?.close();
  stream = new EventSource(`${path}/events`);
  stream.onopen = () => {
    clearInterval(polling);
    polling = undefined;
    byId('offline').hidden = true;
  };
  stream.onmessage = ({ data }) => hear(JSON.parse(data)).catch(lost);
  stream.addEventListener('end', () => {
    stream.close();
    if (!isFinal()) check();
  });
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) poll();
    else again ??= setTimeout(check, RETRY_DELAY_MS);
  };
}

function poll() {
  let polls = 0;
  polling ??= setInterval(() => {
    if (document.hidden) return;
    polls += 1;
    if (polls % POLLS_A_STREAM === 0) listen();
    else check();
  }, POLL_MS);
}

function leave() {
  stream?.close();
  clearInterval(polling);
}

function seen() {
  if (document.hidden) return;
  tellOpened();
  if (isFinal()) return;
  check();
  if (stream.readyState === EventSource.CLOSED) listen();
}

let told = false;
function tellOpened() {
  if (told || document.hidden) return;
  told = true;
  fetch(`${path}/opened`, { method: 'POST' }).catch(() => {});
}

/* Rendering */

function dress() {
  const time = document.querySelector('.time time');
  if (time) {
    const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
    time.textContent = new Intl.DateTimeFormat(root.lang, clock).format(Number(main.dataset.endsAt));
    const left = document.querySelector('.left');
    if (left) {
      left.hidden = false;
      document.querySelector('.until').hidden = true;
    }
  }
  choose();
  tick();
  renewLater();
}

/* Reloads until a stale invoice has been checked. A check may leave its record unchanged. */
function renewLater() {
  clearTimeout(renewal);
  if (!('renewAfter' in main.dataset)) return;
  renewal = setTimeout(() => {
    if (document.hidden) return renewLater();
    renew().catch(() => {
      lost();
      renewLater();
    });
  }, Number(main.dataset.renewAfter) * 1000);
}

function tick() {
  if (!('endsAt' in main.dataset)) return;
  const seconds = Math.max(0, Math.ceil(leftMs() / 1000));
  const timer = document.querySelector('[role=timer]');
  if (timer) timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const isOver = seconds === 0;
  if (isOver && byId('checking').hidden) check();
  byId('payment').hidden = isOver;
  byId('checking').hidden = !isOver;
}

function choose() {
  for (const amount of document.querySelectorAll('[data-coin]')) amount.hidden = amount.dataset.coin !== coin;
  for (const choice of document.querySelectorAll('[name=coin]')) choice.checked = choice.value === coin;
}

document.addEventListener('change', ({ target }) => {
  if (target.name !== 'coin') return;
  coin = target.value;
  choose();
});

/* Copying */

async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand('copy');
  }
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]');
  if (!button) return;
  const result = (await copy(byId(button.dataset.copy))) ? 'copied' : 'not-copied';
  button.dataset.result = result;
  byId('said').textContent = button.querySelector(`.${result}`).textContent;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    delete button.dataset.result;
    byId('said').textContent = '';
  }, COPIED_MS);
});

root.classList.add('js');
dress();
tellOpened();
setInterval(tick, 1_000);
document.addEventListener('visibilitychange', seen);
addEventListener('pageshow', ({ persisted }) => persisted && seen());
if (!isFinal()) listen();
