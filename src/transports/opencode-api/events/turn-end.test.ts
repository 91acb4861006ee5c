import { expect, it } from "vitest";
import { anEvent } from "../../../../test/support/core/events.ts";
import { aMessage } from "../../../../test/support/core/records.ts";
import { beginNotes, endNote } from "../../../core/turn/delivery-notes.ts";
import type { EventBody } from "../../../core/turn/universal-event.ts";
import { advanceTurnWait, newTurnWait } from "./turn-end.ts";

const ended = (rounds: number) => endNote({ messageId: "m1", rounds, status: "failed_terminal", lastReason: null });

function after(...bodies: EventBody[]) {
  const events = bodies.map((one, index) => anEvent({ seq: index + 1, source: "daemon" }, one));
  return events.reduce(advanceTurnWait, newTurnWait("m1"));
}

it("an end that is noted only after a person's retry does not end the retry", () => {
  const message = aMessage({ id: "m1" });
  const begun = (round: number) => beginNotes(message, round);
  expect(after(...begun(1), ...begun(2), ended(1)).end).toBeNull();
  expect(after(...begun(1), ...begun(2), ended(1), ended(2)).end).toEqual({ turn: null, delivery: "failed_terminal" });
});
