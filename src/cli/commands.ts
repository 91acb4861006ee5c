/** The commands that talk to a daemon, in the order in which they are listed. */
import type { Command } from "./command.ts";
import { answer, asks } from "./commands/asks.ts";
import { deliveries } from "./commands/deliveries.ts";
import { follow } from "./commands/follow.ts";
import { cancel, retry, withdraw } from "./commands/interventions.ts";
import { lanes } from "./commands/lanes.ts";
import { messages } from "./commands/messages.ts";
import { open } from "./commands/open.ts";
import { restart } from "./commands/restart.ts";
import { send } from "./commands/send.ts";
import { show } from "./commands/show.ts";
import { watch } from "./commands/watch.ts";
import { why } from "./commands/why.ts";

export const clientCommands: readonly Command[] = [
  send,
  watch,
  follow,
  lanes,
  messages,
  deliveries,
  show,
  why,
  retry,
  cancel,
  withdraw,
  asks,
  answer,
  open,
  restart,
];
