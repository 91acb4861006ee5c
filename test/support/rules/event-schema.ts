/** The schema of universal events, for tests that check the output of a runtime or the tracker. */
export { universalEventSchema } from "../../../src/transports/http/event-schemas.ts";
