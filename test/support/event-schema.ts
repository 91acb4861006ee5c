/** The schema of universal events, for tests that check what a runtime or the tracker makes. */
export { universalEventShape } from "../../src/transports/http/event-shapes.ts";
