/** Methods about the bot itself. */
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import { json, type Method, method, text } from "./method.ts";

const scope = { scope: json(z.looseObject({ type: z.string() })).optional(), language_code: text.optional() };
const keyOf = (args: { scope?: Record<string, unknown> | undefined; language_code?: string | undefined }) =>
  JSON.stringify([args.scope ?? { type: "default" }, args.language_code ?? ""]);

export const botMethods: Record<string, Method> = {
  getMe: method({}, (world) => world.bot),

  setMyCommands: method(
    { ...scope, commands: json(z.array(z.object({ command: z.string(), description: z.string() }))) },
    (world, args) => {
      const commands = args.commands.map(({ command, description }) => ({
        command: command.replace(/^\//, "").toLowerCase(),
        description: description.trim(),
      }));
      if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
      for (const { command, description } of commands) {
        if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
        if (description === "" || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
      }
      world.commands.set(keyOf(args), commands);
      return true;
    },
  ),

  getMyCommands: method(scope, (world, args) => world.commands.get(keyOf(args)) ?? []),

  deleteMyCommands: method(scope, (world, args) => {
    world.commands.delete(keyOf(args));
    return true;
  }),
};
