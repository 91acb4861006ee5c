/** Decides whether a message is for Waybill itself or for the agent. By exact words, never by a model. Pure. */

type Intent =
  | { kind: "command"; name: string; args: string }
  /** Plain text, or a slash command that Waybill does not know. */
  | { kind: "relay" }
  /** A command that names another bot in the group. */
  | { kind: "for_others" };

const words: readonly [RegExp, (match: RegExpExecArray) => Intent][] = [
  [/^use repo\s+(\S.*)$/is, ([, path = ""]) => command("workspace", path.trim())],
  [/^(where am i\??|pwd)$/i, () => command("pwd", "")],
  [/^(list repos|repos)$/i, () => command("repos", "")],
  [/^(restart assistant|restart)$/i, () => command("restart", "")],
];

export function readIntent(text: string, commands: ReadonlySet<string>, botName: string): Intent {
  const trimmed = text.trim();
  for (const [pattern, make] of words) {
    const match = pattern.exec(trimmed);
    if (match) return make(match);
  }
  const [, name = "", bot, args = ""] = /^\/([a-z0-9_]{1,32})(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(trimmed) ?? [];
  if (bot !== undefined && bot.toLowerCase() !== botName.toLowerCase()) return { kind: "for_others" };
  return commands.has(name.toLowerCase()) ? command(name.toLowerCase(), args.trim()) : { kind: "relay" };
}

function command(name: string, args: string): Intent {
  return { kind: "command", name, args };
}
