/** `use repo PATH`, `where am i`, `list repos`, and their slash commands. */

import { AppError } from "../../../platform/app-error.ts";
import type { Binding } from "../topics/binding.ts";
import { bindingName } from "../topics/binding.ts";
import { openWorkspace, shownWorkspace } from "../topics/workspace.ts";
import { boundText } from "./bind-commands.ts";
import type { Command } from "./command.ts";
import { answer, both } from "./command.ts";

export const workspace: Command = {
  name: "workspace",
  description: "Show or change the directory that this topic works in",
  changesTopic: true,
  async run(call, context) {
    if (call.args === "") return whereAmI.run(call, context);
    if (call.topic.boundTo) throw boundElsewhere(call.topic.boundTo);
    const { topics, clock } = context;
    const opened = await openWorkspace(call.topic, call.message.from.name, context, call.args);
    const known = call.topic.workspaces.some(({ path }) => path === opened.topic.activeWorkspace);
    const session = known ? "Its conversation continues." : "A new conversation starts there.";
    const words = `This topic now works in \`${opened.topic.activeWorkspace}\`. ${session}`;
    return both({ state: topics.keep(opened.topic, clock.now()) }, answer(call, words));
  },
};

export const whereAmI: Command = {
  name: "pwd",
  description: null,
  async run(call, context) {
    const { boundTo } = call.topic;
    if (boundTo) return answer(call, boundText(boundTo));
    return answer(call, `This topic works in \`${shownWorkspace(call.topic, context)}\`.`);
  },
};

export const repos: Command = {
  name: "repos",
  description: null,
  async run(call, context) {
    const active = shownWorkspace(call.topic, context);
    const paths = [...new Set([active, ...call.topic.workspaces.map(({ path }) => path)])].sort();
    const lines = paths.map((path) => `- \`${path}\`${path === active ? " (active)" : ""}`);
    return answer(
      call,
      `Workspaces of this topic:\n\n${lines.join("\n")}\n\n\`use repo PATH\` switches to another one.`,
    );
  },
};

function boundElsewhere(binding: Binding): AppError {
  const message = `This topic is bound to ${bindingName(binding)}, which works in its own directory.`;
  return new AppError({ code: "not_possible", message, hint: "Use /unbind first." });
}
