const TIMEOUT_MS = 15_000;

/** Sends a request to the sandbox. Throws an `Error` with a message for the page's user. */
async function ask(method, path, body) {
  /* The browser sets the content type of a form. */
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await fetch(path, {
    method,
    headers: isJson ? { 'content-type': 'application/json' } : {},
    body: isJson ? JSON.stringify(body) : body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new Error('The sandbox can’t be reached');
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const reason = answer?.detail?.error?.message ?? answer?.error ?? answer?.detail ?? answer?.description;
  throw new Error(typeof reason === 'string' ? reason : `The sandbox answered ${response.status}`);
}

const TELEGRAM = '/sandbox/telegram';
const RENTAL = '/sandbox/rental';

/** Requests of a Telegram user. A private chat has the id of its user. */
export const telegram = {
  people: () => ask('GET', `${TELEGRAM}/people`),
  bot: (language, chat = 0) =>
    ask('GET', `${TELEGRAM}/bot?language=${encodeURIComponent(language)}&chat=${chat}`),
  messages: (chat) => ask('GET', `${TELEGRAM}/chats/${chat}/messages`),
  write: (chat, message) => ask('POST', `${TELEGRAM}/chats/${chat}/messages`, message),
  tap: (chat, tap) => ask('POST', `${TELEGRAM}/chats/${chat}/taps`, tap),
  remove: (chat, id) => ask('DELETE', `${TELEGRAM}/chats/${chat}/messages/${id}`),
  shares: (chat) => ask('GET', `${TELEGRAM}/chats/${chat}/shares`),
  share: (chat, shared) => ask('POST', `${TELEGRAM}/chats/${chat}/shares`, shared),
  putAway: (chat, id) => ask('DELETE', `${TELEGRAM}/chats/${chat}/shares/${id}`),
  stream: (chat) => `${TELEGRAM}/chats/${chat}/stream`,
};

/** Control API of the rental service. */
export const rental = {
  state: () => ask('GET', `${RENTAL}/state`),
  fill: (order) => ask('POST', `${RENTAL}/orders/${order}/fill`),
  fail: (order) => ask('POST', `${RENTAL}/orders/${order}/fail`),
  pay: (invoice, payment) => ask('POST', `${RENTAL}/invoices/${invoice}/pay`, payment),
  delegate: (invoice) => ask('POST', `${RENTAL}/invoices/${invoice}/delegate`),
  failInvoice: (invoice) => ask('POST', `${RENTAL}/invoices/${invoice}/fail`),
  deposit: (account, money) => ask('POST', `${RENTAL}/accounts/${account}/deposit`, money),
  setBalance: (account, balance_trx) => ask('POST', `${RENTAL}/accounts/${account}/balance`, { balance_trx }),
  confirmDeposit: (deposit) => ask('POST', `${RENTAL}/deposits/${deposit}/confirm`),
  expireDeposit: (deposit) => ask('POST', `${RENTAL}/deposits/${deposit}/expire`),
  completeWithdrawal: (withdrawal) => ask('POST', `${RENTAL}/withdrawals/${withdrawal}/complete`),
  failWithdrawal: (withdrawal) => ask('POST', `${RENTAL}/withdrawals/${withdrawal}/fail`),
  sendWatched: (subscription, amount) =>
    ask('POST', `${RENTAL}/smart-mode/${subscription}/transfer`, { amount }),
  transfer: (transfer) => ask('POST', `${RENTAL}/transfers`, transfer),
  setEnergyPrices: (energy_sun) => ask('POST', `${RENTAL}/prices`, { energy_sun }),
  orderFault: (fault) => ask('POST', `${RENTAL}/faults`, fault),
  clearFaults: () => ask('DELETE', `${RENTAL}/faults`),
};

/** Requests that concern both services. */
export const sandbox = {
  advance: (advance_seconds) => ask('POST', '/sandbox/clock', { advance_seconds }),
  reset: () => ask('POST', '/sandbox/reset'),
  endpoints: () => ask('GET', '/sandbox/endpoints'),
};
