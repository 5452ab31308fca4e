import type { TextKey } from '../texts/keys.ts';

/** What stays of somebody who is forgotten, with the words by which they are told so: where, for how long, and why. */
export interface KeptKind {
  text: TextKey;
  /** Keys of theirs, as they begin: under their own number. Every other key of theirs is erased. */
  own: readonly string[];
  /** Keys of others, or of everybody, in which they may still be named. */
  elsewhere: readonly string[];
}

/** All that stays. What isn't here is erased, whoever adds it. */
export const KEPT_KINDS: readonly KeptKind[] = [
  {
    text: 'kept-money',
    own: [
      ...['operation', 'attempt', 'operations-of-user', 'missed', 'news-begun'],
      ...['invoice', 'invoice-paid', 'invoices-of-user'],
    ],
    elsewhere: [
      ...['sent-of-account', 'unresolved-of-account', 'unresolved', 'order'],
      ...['invoice-number', 'share'],
    ],
  },
  {
    text: 'kept-under-way',
    own: ['heartbeat', 'sending-of', 'asking', 'showing-invoice', 'checking-invoice', 'telling'],
    elsewhere: ['operations', 'invoices', 'locked', 'updates', '{rental-bot}'],
  },
  { text: 'kept-handled', own: ['chat', 'erasure'], elsewhere: [] },
  {
    text: 'kept-limits',
    own: ['budget', 'refused-keys', 'told-of-key'],
    elsewhere: ['budget', 'withdrawn', 'rests'],
  },
  {
    text: 'kept-account',
    own: [],
    elsewhere: [
      ...[
        'event',
        'events',
        'events-of-day',
        'looked',
        'looks',
        'looking',
        'order-report',
        'reports-of-account',
      ],
      ...['last-price', 'already-done', 'announced', 'announced-addresses'],
    ],
  },
  {
    text: 'kept-others',
    // Of who is shut out alone.
    own: ['person'],
    elsewhere: [
      ...['invoice', 'broadcast-audience', 'admin-log', 'admin-act'],
      ...['conversation', 'proposal', 'notice'],
    ],
  },
];

/** What moreover stays of an admin. */
export const KEPT_OF_ADMINS: KeptKind = {
  text: 'kept-admin',
  own: [],
  elsewhere: [
    ...['admin-log', 'admin-act', 'maintenance', 'broadcast', 'broadcast-shown', 'broadcast-wish'],
    ...['operator-spent', 'notice'],
  ],
};
