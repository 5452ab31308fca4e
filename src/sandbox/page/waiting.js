/** As long as Telegram's own clients wait for an answer to a tap, about. */
const PATIENCE_MS = 15_000;

/** Taps that the bot hasn't answered yet. Their buttons say so, and take no second tap. */
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
    /** The bot answered; perhaps before the sandbox has told which tap it is. */
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
        setTimeout(() => buttons.has(tap) && answered(tap), PATIENCE_MS);
      } catch (error) {
        button.removeAttribute('aria-busy');
        throw error;
      }
    },
  };
}
