import { z } from 'zod';
import { ANNOUNCED_MS, type Announced } from '../accounts/announced-address.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Links } from '../accounts/links.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { Sender } from '../telegram/sender.ts';
import { addressNotice } from '../texts/address-notices.ts';
import type { Texts } from '../texts/texts.ts';
import { isUntold } from './untold.ts';

const TELL = 'address-told';
const LOOK = 'announced-addresses';
const LOOK_MS = 10_000;
const BATCH = 100;
/** For half an hour: it is told late rather than not at all. */
const TRIES = 36;

export interface AddressNews {
  /** Tells everybody else who holds the account that somebody wants to withdraw there. */
  announced(asked: Announced): Promise<unknown>;
  /** Tells who wanted to that another has struck it out. */
  struck(announced: Announced): Promise<unknown>;
}

const newsSchema = z.object({
  what: z.enum(['announced', 'struck', 'offered']),
  to: z.number(),
  account: z.number(),
  id: z.string(),
  address: z.string(),
  /** Epoch milliseconds: when it counts. */
  from: z.number(),
});
type News = z.infer<typeof newsSchema>;

/**
 * News of addresses that accounts without two-factor codes are to be withdrawn to, for those who hold such an account. Once
 * an address counts, who wanted it is offered their card. Call before jobs start.
 */
export function createAddressNews(deps: {
  jobs: Jobs;
  links: Pick<Links, 'holders' | 'find'>;
  announced: Pick<AnnouncedAddresses, 'standing' | 'find' | 'due' | 'leave'>;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  lookMs?: number | undefined;
  log: Log;
}): AddressNews {
  const { jobs, links, announced, sender, texts, lookMs = LOOK_MS, log } = deps;

  async function say(data: string): Promise<void> {
    const news = newsSchema.parse(JSON.parse(data));
    const link = await links.find(news.to);
    // Whoever holds it no more is told no more; and what was struck out meanwhile is offered to nobody.
    if (link?.account !== news.account) return;
    if (news.what === 'offered' && !(await isOffered(news))) return;
    const sent = await sender.send(news.to, addressNotice(texts.in(link.language), news.what, news));
    if (isUntold(sent, { user: news.to, log })) throw new Error('an address could not be told yet');
  }

  /** Asked again as it is told: others may have struck it out, for this user or for another. */
  async function isOffered({ to: user, account, id, address }: News): Promise<boolean> {
    const present = await announced.find(account, id);
    const { kind } = await announced.standing({ user, account, address });
    return present !== undefined && present.takenAt === undefined && kind === 'ripe';
  }

  jobs.define(TELL, say, { tries: TRIES });

  const tell = (news: News) =>
    jobs.add(TELL, JSON.stringify(news), { id: `${news.what}/${news.account}/${news.id}/${news.to}` });

  jobs.every(LOOK, lookMs, async () => {
    for (;;) {
      const due = await announced.due(BATCH);
      await Promise.all(
        due.map(async (one) => {
          await tell({ what: 'offered', to: one.user, ...named(one) });
          await announced.leave(one);
        }),
      );
      if (due.length < BATCH) return;
    }
  });

  return {
    async announced(asked) {
      const others = (await links.holders(asked.account)).filter((holder) => holder !== asked.user);
      await Promise.all(others.map((to) => tell({ what: 'announced', to, ...named(asked) })));
    },
    struck: (one) => tell({ what: 'struck', to: one.user, ...named(one) }),
  };
}

function named({ account, id, address, at }: Announced) {
  return { account, id, address, from: at + ANNOUNCED_MS };
}
