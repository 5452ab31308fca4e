import { telegram } from './api.js';
import { createChatView } from './chat-view.js';
import { createColumns } from './columns.js';
import { updateRelativeTimes } from './date-time.js';
import { createNotices } from './notices.js';
import { createPanel } from './panel/panel.js';
import { createShareDialog } from './share-dialog.js';
import { createViews } from './views.js';

const RETRY_MS = 1500;
const part = (id) => document.getElementById(id);
const main = document.querySelector('main');

/* Time of the sandbox's clock. */
let now = Date.now();

const page = {
  template: part('chat'),
  alert: part('alert'),
  askWhom: createShareDialog(part('share')),
  now: () => now,
};
const columns = createColumns({
  panel: part('panel'),
  createView: (reader) => createChatView(page, reader),
  views: createViews(main.querySelector('.views')),
});
createPanel({
  part,
  notices: createNotices({ toasts: part('panel-toasts'), alert: part('alert') }),
  ticked(time) {
    now = time;
    updateRelativeTimes(main, now);
  },
  loaded: ({ invoices = [] }) => columns.invoices(invoices),
});

async function start() {
  try {
    const [people, bot] = await Promise.all([telegram.people(), telegram.bot('en')]);
    columns.online(true);
    columns.begin(people, bot);
  } catch {
    columns.online(false);
    setTimeout(start, RETRY_MS);
  }
}

start();
