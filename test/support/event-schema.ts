/** The schema of universal events, for tests that check what a runtime or the tracker makes. */
export { universalEventSchema } from "../../src/transports/http/event-schemas.ts";
