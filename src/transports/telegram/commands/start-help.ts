/** The first word of a chat, and the list of what can be said. */
import type { Command } from "./command.ts";
import { answer, both } from "./command.ts";

/** Only the first message of a chat: clients send it again, and it says nothing new then. */
export const start: Command = {
  name: "start",
  description: null,
  changesTopic: true,
  async run(call, { topics, clock, settings }) {
    const { place } = call.message;
    if (topics.isKnownChat(place.chat)) return {};
    const words = [
      "Waybill brings what you write here to a coding agent, and its answer back to you.",
      `This chat works in \`${settings.defaultWorkspace}\`. \`use repo PATH\` chooses another directory.`,
      "/help lists what else you can say.",
    ];
    return both({ state: topics.keep(call.topic, clock.now()) }, answer(call, words.join("\n\n")));
  },
};

export function help(commands: () => readonly Command[]): Command {
  return {
    name: "help",
    description: "What you can say",
    async run(call) {
      const lines = commands().flatMap(({ name, description }) =>
        description === null ? [] : [`/${name}: ${description}`],
      );
      const words = "`use repo PATH`, `where am i`, `list repos` and `restart` work without a slash, too.";
      return answer(call, `Everything you write goes to the agent, except:\n\n${lines.join("\n")}\n\n${words}`);
    },
  };
}
