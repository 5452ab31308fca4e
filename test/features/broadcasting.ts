import type { Message } from 'grammy/types';
import type { BroadcastDraft } from '../../src/broadcasts/store.ts';
import type { Language } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/i18n/view.ts';
import { USER } from '../operations/operations-setup.ts';
import { openChat } from './chat.ts';

/** Opens the chat of an admin. `say` takes taps on answers (`{ tap }`), texts and other messages. */
export async function openAdmin(language: Language = 'en') {
  const admins = new Set([USER]);
  const chat = await openChat(language, { isAdmin: (user) => admins.has(user) });
  const { broadcasts } = chat.casting;

  const answer = (value: string) => chat.tap(answerData(value), { carried: true });
  async function say(...said: (string | { tap: string } | Partial<Message>)[]): Promise<void> {
    for (const one of said) {
      if (typeof one === 'string') await chat.write(one);
      else if ('tap' in one) await answer(one.tap);
      else await chat.bring(one);
    }
  }
  async function begin(): Promise<void> {
    await chat.write('/broadcast');
    await chat.tap('broadcast:new', { carried: true });
  }
  return {
    ...chat,
    admins,
    broadcasts,
    answer,
    say,
    begin,
    /** Creates a broadcast draft and answers all questions up to its card. */
    async toCard(audience = 'everybody', time = 'now'): Promise<void> {
      await begin();
      await say('News', { tap: 'none' }, { tap: 'next' }, { tap: audience }, { tap: time });
    },
    copies: () => chat.calls.filter(({ method }) => method === 'copyMessage').map(({ payload }) => payload),
    draft: async (): Promise<Partial<BroadcastDraft>> => (await broadcasts.drafts.find(USER)) ?? {},
    acts: async () => (await chat.deps.adminLog.latest(9)).map(({ action: act, about }) => [act, about]),
  };
}
