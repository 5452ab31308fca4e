import { vi } from 'vitest';
import type { MutableKind } from '../../src/accounts/users.ts';
import { createReportOffers } from '../../src/accounts/webhook-subscriptions.ts';
import { createOperationMessages } from '../../src/notifications/operation-messages.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Show } from '../../src/operations/receipt.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Sender } from '../../src/telegram/sender.ts';
import { operationIn as anOperationIn } from '../operations/cards.ts';
import { CARD } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';

export const NEWS = CARD + 1;

/** Shows operations in a chat, with a sender and an outbox that a test controls. */
export function newsdesk({ offered = false, muted = [] as MutableKind[] } = {}) {
  const { log, lines } = recordingLog();
  const link = { account: ACCOUNT, tail: '-key', linkedAt: 0, language: 'en' as const };
  const sender = {
    send: vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: NEWS })),
    edit: vi.fn<Sender['edit']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
  };
  const reported = vi.fn(async () => false);
  const add = vi.fn<Outbox['add']>(async () => {});
  const show = createOperationMessages({
    sender,
    texts: TEXTS,
    kinds: createKinds(KINDS),
    reported,
    offers: offered
      ? createReportOffers({ storage: createMemoryStorage(), links: { find: async () => link } })
      : undefined,
    outbox: { add },
    notificationSettings: { get: async () => ({ muted }) },
    supportUrl: 'https://support.example/',
    log,
  });
  const showOrSend = (operation: Operation, may: Parameters<Show>[1] = 'send') => show(operation, may);
  return { sender, add, reported, show: showOrSend, lines };
}

export const operationIn = (...[state, more]: Parameters<typeof anOperationIn>) =>
  anOperationIn(state, { card: CARD, ...more });

export const DONE = operationIn('done', { result: { order: 7, status: 'pending', price: '2.32' } });
export const LATE = { ...DONE, late: true };
