/** Time to wait for the answer to a tap. About the same as in Telegram's clients. */
const TIMEOUT_MS = 15_000;

/** Tracks taps that the bot hasn't answered. Their buttons are busy and ignore further taps. */
export function createWaiting() {
  const buttons = new Map();
  const early = new Set();

  const answered = (tap) => {
    const button = buttons.get(tap);
    if (!button) early.add(tap);
    button?.removeAttribute('aria-busy');
    buttons.delete(tap);
  };

  return {
    /** Ends a tap. The bot's answer may arrive before the id of the tap. */
    answered,
    /**
     * @param {HTMLButtonElement} button
     * @param {() => Promise<{ callback_id: string }>} send
     */
    async tap(button, send) {
      if (button.hasAttribute('aria-busy')) return;
      button.setAttribute('aria-busy', 'true');
      try {
        const { callback_id: tap } = await send();
        if (early.delete(tap)) button.removeAttribute('aria-busy');
        else buttons.set(tap, button);
        setTimeout(() => buttons.has(tap) && answered(tap), TIMEOUT_MS);
      } catch (error) {
        button.removeAttribute('aria-busy');
        throw error;
      }
    },
  };
}
