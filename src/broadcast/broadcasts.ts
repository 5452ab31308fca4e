import type { Words } from '../texts/texts.ts';
import type { View } from '../texts/view.ts';
import type { Audience, Broadcast } from './broadcast.ts';
import type { BroadcastDraft, BroadcastDrafts } from './drafts.ts';

/** Admins' notices to everybody: drafts, and what became of those that were confirmed. */
export interface Broadcasts {
  drafts: BroadcastDrafts;
  /** How many get it, as of now. Rejects where they can't be read: an audience that isn't known is never nobody. */
  count(audience: Audience, admin: number): Promise<number>;
  /** How long so many take, in milliseconds. */
  durationMs(count: number): number;
  /**
   * Begins a whole draft, now or at its time. `busy`: another one is under way or held up. Called again with the same draft
   * it answers the same, and there is one broadcast.
   */
  start(draft: BroadcastDraft): Promise<'started' | 'scheduled' | 'busy'>;
  /** Each answers whether it made a difference. */
  pause(id: string, admin: number): Promise<boolean>;
  resume(id: string, admin: number): Promise<boolean>;
  /** Of one that is under way, held up or not begun. */
  stop(id: string, admin: number): Promise<boolean>;
  find(id: string): Promise<Broadcast | undefined>;
  /** The one that is under way or held up. */
  active(): Promise<Broadcast | undefined>;
  /** Those that were confirmed and not begun, soonest first. */
  scheduled(): Promise<Broadcast[]>;
  /** The latest that have ended, the last one first. */
  ended(limit: number): Promise<Broadcast[]>;
  /** How it stands, with the buttons that it has then (`broadcast:pause|resume|stop|show:<id>`). */
  view(words: Words, broadcast: Broadcast): View;
  /** From now on it is kept up to date in this message of an admin's chat. */
  shownIn(id: string, admin: number, message: number): Promise<void>;
}
