export interface BotCommand {
  command: string;
  description: string;
}

export type CommandScope = {
  type: string;
  chat_id?: number | string | undefined;
  user_id?: number | undefined;
};

/** Commands, descriptions and menu buttons of the bot, per language (`''` for all others). */
export interface Profile {
  setCommands(scope: CommandScope, language: string, commands: readonly BotCommand[]): void;
  commands(scope: CommandScope, language: string): readonly BotCommand[];
  /**
   * Returns the commands that a user with this language sees in this private chat. Chat 0 means any chat without own commands
   * (https://core.telegram.org/bots/api#determining-list-of-commands).
   */
  menu(language: string, chat: number): readonly BotCommand[];
  readonly descriptions: Map<string, string>;
  readonly shortDescriptions: Map<string, string>;
  /** Menu buttons by private chat. The button of chat 0 applies to all others. */
  readonly menuButtons: Map<number, unknown>;
}

export function createProfile(): Profile {
  const all = new Map<string, readonly BotCommand[]>();
  const key = ({ type, chat_id, user_id }: CommandScope, language: string) =>
    [type, chat_id, user_id, language].join('|');
  const commands = (scope: CommandScope, language: string) => all.get(key(scope, language)) ?? [];
  return {
    setCommands(scope, language, given) {
      all.set(key(scope, language), given);
    },
    commands,
    menu(language, chat) {
      const own = { type: 'chat', chat_id: chat };
      const scopes = [own, { type: 'all_private_chats' }, { type: 'default' }];
      const candidates = scopes.flatMap((scope) => [commands(scope, language), commands(scope, '')]);
      return candidates.find((found) => found.length > 0) ?? [];
    },
    descriptions: new Map(),
    shortDescriptions: new Map(),
    menuButtons: new Map(),
  };
}
