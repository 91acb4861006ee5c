/** `/start` and `/help`. */
import type { Command } from "./command.ts";
import { answer, both } from "./command.ts";

/** Answered only as the first message of a chat, because clients send it again later. */
export const start: Command = {
  name: "start",
  description: null,
  changesTopic: true,
  async run(call, { topics, clock, settings }) {
    const { place } = call.message;
    if (topics.isKnownChat(place.chat)) return {};
    const words = [
      "Waybill passes what you write here on to a coding agent, and its answer back to you.",
      `This chat works in \`${settings.defaultWorkspace}\`. \`use repo PATH\` switches to another directory.`,
      "/help lists the commands.",
    ];
    return both({ state: topics.keep(call.topic, clock.now()) }, answer(call, words.join("\n\n")));
  },
};

export function help(commands: () => readonly Command[]): Command {
  return {
    name: "help",
    description: "List the commands",
    async run(call) {
      const lines = commands().flatMap(({ name, description }) =>
        description === null ? [] : [`/${name}: ${description}`],
      );
      const words = "`use repo PATH`, `where am i`, `list repos` and `restart` also work, without a slash.";
      return answer(call, `Everything you write goes to the agent, except:\n\n${lines.join("\n")}\n\n${words}`);
    },
  };
}
