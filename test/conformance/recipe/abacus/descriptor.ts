/** Abacus's descriptor: its program and its traits. */
import { processRuntime } from "../../../../src/runtimes/process-pool/process-descriptor.ts";

export const abacus = processRuntime({
  kind: "abacus",
  provider: "abacus_agent",
  program: {
    name: "Abacus",
    command: "abacus-agent",
    package: "abacus-agent",
    testedVersion: "1.0.0",
    testDirectory: "node_modules/.abacus",
  },
  bin: { key: "abacusBin", env: "ABACUS_BIN" },
  traits: { takesIds: true, sendingAgain: "swallowed", attachments: [], takesSystem: false },
  idsFrom: (digest) => ({ messageId: `msg_${digest}`, partId: `prt_${digest}` }),
  offers: [],
  settings: {},
  load: async (options) => new (await import("./runtime.ts")).AbacusRuntime(options),
});
