/* Updates the page when its invoice changes, counts down by the server's time, and copies texts. Renders no texts itself. */

/* Interval of polls while the page is visible. It doubles with each failure, up to the slow interval. */
const POLL_MS = 3_000;
/* Interval of polls while the page is hidden. */
const SLOW_POLL_MS = 30_000;
const TIMEOUT_MS = 10_000;
const COPIED_MS = 2_500;

const root = document.documentElement;
const main = document.querySelector('main');
const { title } = document;
const path = location.pathname;
const byId = (id) => document.getElementById(id);

let coin = 'trx';
let nextPoll;
let failures = 0;
let requests = 0;
/* Difference between the server's clock and the page's monotonic clock, in milliseconds. Never above the true one. */
let ahead = Number(main.dataset.now) - performance.now();

const serverNow = () => performance.now() + ahead;
const isFinal = () => 'final' in main.dataset;

/* Polling */

/* Polls now, and again later, unless the invoice is final or a change is no longer expected. */
async function poll() {
  clearTimeout(nextPoll);
  if (isFinal()) return;
  /* Renewing the page now would drop the result of the check. */
  if (byId('check')?.disabled) return scheduleNext();
  let retryAfterMs = 0;
  try {
    /* Only loading the page checks a stale invoice with the service. */
    if ('stale' in main.dataset && !document.hidden) await renew();
    else await check();
    failures = 0;
    byId('offline').hidden = true;
  } catch (error) {
    failures += 1;
    retryAfterMs = error.retryAfterMs ?? 0;
    warn();
  }
  scheduleNext(retryAfterMs);
}

function scheduleNext(minimumMs = 0) {
  clearTimeout(nextPoll);
  if (serverNow() >= Number(main.dataset.stopsAt)) return;
  const waitMs = document.hidden ? SLOW_POLL_MS : Math.min(POLL_MS * 2 ** failures, SLOW_POLL_MS);
  nextPoll = setTimeout(poll, Math.max(waitMs, minimumMs));
}

/* Warns that the page may be out of date. */
function warn() {
  byId('offline').hidden = false;
}

async function check() {
  /* Makes the browser send If-None-Match. If the server responds with 304, the result is the stored response. */
  const answer = await request(`${path}/status`, { cache: 'no-cache' });
  const { fingerprint } = await answer.json();
  /* `Date` is rounded down and arrives late, so the highest difference is the most exact one. */
  const measured = Date.parse(answer.headers.get('Date')) - performance.now();
  if (measured > ahead) ahead = measured;
  if (fingerprint === main.dataset.fingerprint) return;
  /* The result of an earlier check no longer holds. */
  byId('said').textContent = '';
  await renew();
}

/* Throws if the response isn't successful or isn't complete in time. Reloads the page if its link is no longer valid. */
async function request(url, options) {
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(), TIMEOUT_MS);
  const answer = await fetch(url, { ...options, signal: timeout.signal });
  if (answer.status === 404) location.reload();
  if (answer.ok) return answer;
  throw Object.assign(new Error(answer.status), {
    retryAfterMs: Number(answer.headers.get('Retry-After')) * 1_000 || 0,
  });
}

/* Updates */

async function renew(method = 'GET') {
  requests += 1;
  const own = requests;
  const answer = await request(location.href, { method, cache: 'no-store' });
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
}

/* Posts the form without leaving the page. The response is the page with the result. */
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = byId('check');
  if (button.disabled) return;
  button.disabled = true;
  await renew('POST').catch(warn);
  button.disabled = false;
  byId('said').textContent = byId('checked')?.textContent ?? '';
});

function seen() {
  if (document.hidden) return;
  tellOpened();
  poll();
}

let told = false;
function tellOpened() {
  if (told || document.hidden) return;
  told = true;
  fetch(`${path}/opened`, { method: 'POST' }).catch(() => {});
}

/* Rendering */

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const day = { day: 'numeric', month: 'short' };

/* Shows all times in the local zone. */
function dress() {
  for (const time of document.querySelectorAll('time')) {
    const isDeadline = time.closest('.time') !== null;
    const format = new Intl.DateTimeFormat(root.lang, isDeadline ? clock : { ...day, ...clock });
    time.textContent = format.format(new Date(time.dateTime));
  }
  if ('endsAt' in main.dataset) byId('left').hidden = false;
  choose();
  tick();
}

const isStill = matchMedia('(prefers-reduced-motion: reduce)');
const minutes = new Intl.NumberFormat(root.lang, { style: 'unit', unit: 'minute' });

/* Counts whole minutes until the last one if the user prefers reduced motion. */
function countdown(seconds) {
  if (isStill.matches && seconds > 60) return minutes.format(Math.floor(seconds / 60));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function tick() {
  if (!('endsAt' in main.dataset)) return;
  const seconds = Math.max(0, Math.ceil((Number(main.dataset.endsAt) - serverNow()) / 1000));
  document.querySelector('[role=timer]').textContent = countdown(seconds);
  const isOver = seconds === 0;
  if (isOver && byId('checking').hidden) poll();
  document.querySelector('.time').hidden = isOver;
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
scheduleNext();
