/** Creates a lane with a directory and an agent; then a first message shows that it works. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Lane, NewLane } from "waybill/client";
import { client } from "../live/client.ts";
import { refresh } from "../live/queries.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { LaneDraft } from "./lane-draft.ts";
import { emptyDraft } from "./lane-draft.ts";
import { LaneForm } from "./lane-form.tsx";
import { TestMessage } from "./test-message.tsx";

export default function NewLaneDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<LaneDraft>(emptyDraft);
  const make = useMutation<Lane, Error, NewLane>({
    mutationFn: (lane) => client.addLane(lane),
    onSuccess: () => refresh("lanes", "runtimes", "ready"),
  });
  const made = make.data;
  return (
    <Dialog title={made ? `Lane ${made.displayName ?? made.id} created` : "New lane"} open wide onClose={onClose}>
      {made ? (
        <TestMessage lane={made} onClose={onClose} />
      ) : (
        <LaneForm
          draft={draft}
          onChange={setDraft}
          isMaking={make.isPending}
          error={make.error}
          onMake={make.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
