import type { Messages } from './chat.ts';
import type { Message } from './message.ts';

/**
 * Of all that was written in a chat the latest of the bot and the latest of the person, and how often the bot wrote. A class, since
 * there may be a million of them, and functions of its own would make each ten times as large.
 */
export class LatestMessages implements Messages {
  /** How many messages the bot has sent. */
  received = 0;
  #ofBot: Message | undefined;
  #ofPerson: Message | undefined;

  get(id: number): Message | undefined {
    if (this.#ofBot?.id === id) return this.#ofBot;
    return this.#ofPerson?.id === id ? this.#ofPerson : undefined;
  }

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  set(id: number, message: Message): void {
    if (message.author) {
      this.#ofPerson = message;
      return;
    }
    // An edit keeps the number.
    if (this.#ofBot?.id !== id) this.received += 1;
    this.#ofBot = message;
  }

  delete(id: number): void {
    if (this.#ofBot?.id === id) this.#ofBot = undefined;
    if (this.#ofPerson?.id === id) this.#ofPerson = undefined;
  }

  clear(): void {
    this.#ofBot = undefined;
    this.#ofPerson = undefined;
  }

  values(): Message[] {
    const both = [this.#ofPerson, this.#ofBot].filter((message) => message !== undefined);
    return both.sort((a, b) => a.id - b.id);
  }
}
