import {
  callLines,
  durationText,
  paymentLines,
  queueLines,
  readFigures,
  storageLines,
} from '../bot/admin-views.ts';
import { adminsOnly } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { changes, defineFeature, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { formatTimeWithSeconds } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';

const NAME = 'state';

type Turn = 'on' | 'off';

/** Creates the feature that shows the state of everything that the bot needs, and switches maintenance on and off. */
export const stateFeature = defineFeature((deps) => {
  const { state, maintenance, adminLog, notifyMaintenanceChange, now } = deps;

  async function read(words: Words): Promise<View> {
    const figures = await readFigures(deps);
    const at = now();
    const html = paragraphs(
      lines(words.html('state-title'), paymentLines(words, figures)),
      lines(words.html('state-rental'), callLines(words, state.rental(), at)),
      lines(words.html('state-telegram'), callLines(words, state.telegram(), at)),
      lines(words.html('state-storage'), storageLines(words, figures)),
      lines(words.html('state-waits'), queueLines(words, figures)),
      words.html('state-process', { version: state.version, up: durationText(words, at - state.startedAt) }),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    // If the state can't be read, both buttons are shown.
    const leases: Turn[] =
      figures.maintained === undefined ? ['on', 'off'] : [figures.maintained.value ? 'off' : 'on'];
    const switches = leases.map((turn) => button(words, ASKS[turn], callbackData(NAME, `ask-${turn}`)));
    const admin = button(words, 'button-admin', callbackData('menu', 'admin'));
    return {
      html,
      keyboard: [
        [button(words, 'button-refresh', callbackData(NAME, 'open'))],
        ...switches.map((one) => [one]),
        [admin, menuButton(words)],
      ],
    };
  }

  const ask = (turn: Turn) => async (ctx: BotContext) => {
    const { words } = ctx;
    const act = button(
      words,
      ACTS[turn],
      callbackData(NAME, `turn-${turn}`),
      turn === 'on' ? 'danger' : 'success',
    );
    const back = button(words, 'button-back', callbackData(NAME, 'open'));
    await show(ctx, { html: words.html(`maintenance-ask-${turn}`), keyboard: [[act], [back]] });
  };

  const turnTo = (turn: Turn) => async (ctx: BotContext) => {
    const { from, words, update } = ctx;
    if (from === undefined) return;
    ctx.tx.signal.throwIfAborted();
    const isOn = (await maintenance.find()) !== undefined;
    const isChanged = isOn !== (turn === 'on');
    if (isChanged) {
      // Before the change: when the update is handled again, the change may have been made already.
      await notifyMaintenanceChange({ turn, admin: from.id, id: String(update.update_id) });
      await adminLog.add(from.id, `maintenance-${turn}`, undefined, { update: update.update_id });
      ctx.tx.signal.throwIfAborted();
      await (turn === 'on' ? maintenance.turnOn(from.id) : maintenance.turnOff());
    }
    delete ctx.maintenance;
    // An earlier attempt at this update may have changed it.
    const was = isChanged || ctx.tx.attempt > 1 ? 'no' : 'yes';
    ctx.headerHtml = words.html(`maintenance-turned-${turn}`, { was });
    await show(ctx, await read(words));
  };

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-state',
    command: { name: 'state', text: 'command-state' },
    open: async (ctx) => show(ctx, await read(ctx.words)),
    buttons: {
      'ask-on': ask('on'),
      'ask-off': ask('off'),
      'turn-on': changes(turnTo('on'), QUESTION_TTL_MS),
      'turn-off': changes(turnTo('off'), QUESTION_TTL_MS),
    },
  });
});

const ASKS: Record<Turn, TextKey> = { on: 'button-maintenance-ask-on', off: 'button-maintenance-ask-off' };
const ACTS: Record<Turn, TextKey> = { on: 'button-maintenance-on', off: 'button-maintenance-off' };
