import type { Link } from '../../accounts/links.ts';
import { printable } from '../../rental/printable.ts';
import type { WebhookLogEntry } from '../../rental/resources/webhook-log-entry.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { moment } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { button, lines, notice, paragraphs, type View } from '../../texts/view.ts';
import { latestFirst } from '../latest-first.ts';
import { screen } from '../screen.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'webhook-log';
const MOST = 8;
const NAME_LENGTH = 40;
/** More would be a mistake of the service. */
const MOST_ATTEMPTS = 999;

/** What the service sent about the account, wherever that went, and how it was answered. */
export const createWebhookLog: CreateFeature = (deps) => {
  const { hooks, hookUrl } = deps;

  async function view(words: Words, entries: WebhookLogEntry[], { account }: Link): Promise<View> {
    const goes = hookUrl === undefined ? 'nowhere' : (await hooks.isActive(account)) ? 'here' : 'elsewhere';
    const latest = latestFirst(
      entries.toSorted((one, other) => other.id - one.id),
      ({ created_at }) => created_at,
    );
    const html = paragraphs(
      lines(words.html('webhook-log-title'), words.html('webhook-log-about', { account: String(account) })),
      ...(latest.length > 0
        ? latest.slice(0, MOST).map((one) => entryLines(words, one))
        : [words.html('webhook-log-none')]),
      latest.length > MOST && words.html('webhook-log-latest', { most: MOST }),
      words.html('webhook-log-goes', { goes }),
    );
    const switching = {
      here: [[button(words, 'button-webhook-stop', callbackData('reports', 'off'))]],
      elsewhere: [[button(words, 'button-webhook-here', callbackData('reports', 'open'))]],
      nowhere: [],
    }[goes];
    const back = [button(words, 'button-notifications', callbackData('notifications', 'open'))];
    return notice(words, html, ...switching, back);
  }

  return screen(deps, {
    name: NAME,
    menu: { button: 'button-webhook-log', place: 'more', for: 'linked' },
    command: { name: 'webhooklog', text: 'command-webhook-log' },
    read: (rental, apiKey) => rental.webhookLogs(apiKey),
    view,
  });
};

function entryLines(words: Words, { event_type, response_status, attempts, created_at }: WebhookLogEntry) {
  const status = answered(response_status);
  return words.html('webhook-log-entry', {
    taken: status?.startsWith('2') ? 'yes' : 'no',
    event: printable(event_type, NAME_LENGTH),
    status: status ?? 'none',
    attempts: Math.max(0, Math.trunc(Math.min(attempts, MOST_ATTEMPTS))),
    many: attempts > MOST_ATTEMPTS ? 'yes' : 'no',
    when: moment(Date.parse(created_at), words.language),
  });
}

/** An HTTP status; `undefined` for anything else, as 0 where nobody answered. */
function answered(status: number | null | undefined): string | undefined {
  return Number.isInteger(status) && /^[1-9]\d\d$/.test(String(status)) ? String(status) : undefined;
}
