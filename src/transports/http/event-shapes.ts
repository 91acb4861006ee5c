/** Universal events as the OpenAPI document has them: each type of event under a name of its own. */
import { z } from "@hono/zod-openapi";
import { envelopeShape, happeningKinds } from "../../events/universal-event.ts";
import { nextCursor } from "./paging.ts";

/** `turn.started` is `TurnStartedEvent`. */
function nameOf(type: string): string {
  const words = type.split(".").map((word) => word[0]?.toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

const [first, ...more] = happeningKinds.map((kind) =>
  z.object({ ...envelopeShape.shape, ...kind.shape }).openapi(nameOf(kind.shape.type.value)),
);
if (!first) throw new Error("there are no events");

export const universalEventShape = z.discriminatedUnion("type", [first, ...more]).openapi("UniversalEvent");

export const eventPageShape = z
  .object({
    events: z.array(
      z.object({
        cursor: z.string().openapi({ description: "Its place: goes on after it." }),
        event: universalEventShape,
      }),
    ),
    cursor: nextCursor.unwrap().openapi({ description: "Where to go on. A page without events is the end for now." }),
    reset: z.boolean().openapi({ description: "Some that came after the cursor are not kept any more." }),
  })
  .openapi("EventPage");

const time = z.iso.datetime();

/** The data of the server-sent events. */
export const eventStreamShape = z
  .union([
    universalEventShape,
    z.object({ type: z.literal("open"), at: time }).openapi("EventStreamOpened"),
    z.object({ type: z.literal("reset"), at: time }).openapi("EventStreamReset"),
  ])
  .openapi("EventStreamData");
