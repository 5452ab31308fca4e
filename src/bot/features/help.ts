import { lines, notice, paragraphs } from '../../texts/view.ts';
import { listedCommands } from '../listed-commands.ts';
import { show } from '../reply.ts';
import type { CreateFeature } from './feature-deps.ts';

/** How it works, and every command. */
export const createHelp: CreateFeature = ({ supportUrl, features }) => ({
  name: 'help',
  menu: { button: 'button-help', place: 'more', for: 'anyone' },
  command: { name: 'help', text: 'command-help' },
  async open(ctx) {
    const { words } = ctx;
    const commands = listedCommands(features()).map(({ name, text }) => `/${name} · ${words.html(text)}`);
    const html = paragraphs(
      words.html('help'),
      lines(words.html('help-commands'), ...commands, `/cancel · ${words.html('command-cancel')}`),
      supportUrl && words.html('help-support', { url: supportUrl }),
    );
    await show(ctx, notice(words, html));
  },
});
