/** Nothing is set up yet: what to do next. */
import { openDialog } from "../app/open-dialog.ts";
import { Button } from "../ui/button.tsx";
import { Commands } from "./commands.tsx";

export function NoLanes() {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-start gap-3 px-6 py-16">
      <h1 className="text-xl font-semibold">No lanes yet</h1>
      <p className="text-muted">
        A lane is where an agent works: a program such as OpenCode, Claude Code or pi, and a directory. Create one, then
        write to its agent. You will see when your message is accepted, and when there is proof of an answer.
      </p>
      <Button look="primary" icon="plus" keys="n" onClick={() => openDialog.set("new-lane")}>
        Create a lane
      </Button>
      <p className="mt-3 text-muted">Or in a terminal, on the machine where Waybill runs:</p>
      <Commands
        commands={[
          { command: "npx waybill init", what: "writes a configuration with a first lane" },
          { command: "npx waybill doctor", what: "checks that the agent programs are installed" },
        ]}
      />
    </div>
  );
}
