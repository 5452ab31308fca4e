/** What buttons carry: at most 64 bytes each. What stands behind one is in `bot/callbacks.ts`. */
export const TAP = {
  menu: 'menu',
  help: 'help',
  buy: 'buy',
  link: 'link',
  linkCancel: 'link:cancel',
  account: 'account',
  deposit: 'deposit',
  unlink: 'unlink',
  unlinkYes: 'unlink:yes',
  eventsOn: 'events:on',
  eventsOff: 'events:off',
  eventsLater: 'events:later',
  settings: 'settings',
  language: (language: string) => `language:${language}`,
  confirm: (operation: string) => `confirm:${operation}`,
  cancel: (operation: string) => `cancel:${operation}`,
  back: (operation: string) => `back:${operation}`,
  checked: (operation: string) => `checked:${operation}`,
  /** An answer within a flow: meant for the flow's present question alone. */
  answer: (answer: string) => `answer:${answer}`,
} as const;
