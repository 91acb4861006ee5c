/** The API in types. Made from the OpenAPI document by `npm run api-types`: change src/transports/http instead. */

export interface paths {
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said, newest first */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send a message to an agent, or to somebody who reads a mailbox
         * @description Once this is answered the message is durable and will have an outcome. The same message id with the same body may be sent again and changes nothing; with another body it is a conflict.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take back a message that has not been sent */
        delete: operations["withdrawMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a file for messages
         * @description The body is the file as it is, and `Content-Type` its type. What is answered goes into `attachments` of a message. The same bytes may be stored again and are kept once. A file that no message names is removed after a day.
         */
        post: operations["storeAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description Of types that a browser could run as a page only the bytes are served, without the type.
         */
        get: operations["readAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deliveries, newest first */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One delivery with attempts, audit, evidence, and what happens next */
        get: operations["showDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a delivery that failed for good a new budget
         * @description Its old attempts are looked at first, so late proof is found before the agent is asked again.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a delivery for good
         * @description If its turn runs, that is stopped.
         */
        post: operations["cancelDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All lanes with what holds and what waits in them */
        get: operations["listLanes"];
        put?: never;
        /**
         * Make a lane, or change the settings of one
         * @description Its sessions and what waits in it stay. What is left out is what the configuration says.
         */
        post: operations["putLane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One lane */
        get: operations["showLane"];
        put?: never;
        post?: never;
        /**
         * Remove a lane
         * @description What happened in it stays.
         */
        delete: operations["removeLane"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the running turn, or what is about to be sent
         * @description Its delivery is cancelled and never retried; what waits behind it goes on.
         */
        post: operations["abortLane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send nothing in this lane until it is resumed */
        post: operations["pauseLane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused lane go on
         * @description Messages that waited are sent in their order.
         */
        post: operations["resumeLane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give back a lane that is held by what nobody can see or write
         * @description For a delivery that still owes the end of its turn or its read flag; an open one is cancelled.
         */
        post: operations["releaseLane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes/{id}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a lane go on in a session that its agent program has already
         * @description From the next message on. Refused while a delivery holds the lane, for a session of another lane or directory, and for a subtask.
         */
        post: operations["adoptSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All teams with their members, and what each of them is doing */
        get: operations["listTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One team */
        get: operations["showTeam"];
        /** Make a team, or change what people call it */
        put: operations["putTeam"];
        post?: never;
        /**
         * Remove a team
         * @description The lanes of its members stay, with what waits in them.
         */
        delete: operations["removeTeam"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Follow the inbox files of a team
         * @description Rows for members that Waybill runs are delivered, and flagged as read once they are answered. Messages to the others are written into their inboxes. May be repeated.
         */
        post: operations["importTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send nothing to a team until it is resumed
         * @description What runs goes on; messages wait.
         */
        post: operations["pauseTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused or stopped team go on
         * @description Messages that waited are sent in their order.
         */
        post: operations["resumeTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a team
         * @description What runs is stopped, and its deliveries are cancelled. What waits stays, and those who wait are told.
         */
        post: operations["stopTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/members/{member}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a member, or change one
         * @description One that was shut down goes on.
         */
        put: operations["putMember"];
        post?: never;
        /**
         * Remove a member
         * @description Its lane stays, and what waits in it is still delivered. Its token ends.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/members/{member}/shutdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve the shutdown of a member
         * @description What it does is stopped, and it gets nothing more until it is added again.
         */
        post: operations["shutDownMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/members/{member}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The token of a member that somebody else runs */
        post: operations["memberToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was written to a person, newest first */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark messages to a person as read */
        post: operations["markRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Agents that are held because they write to each other and nothing else happens */
        get: operations["listHolds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let two agents go on
         * @description What was held is delivered, and they are counted anew.
         */
        post: operations["releaseHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/asks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person */
        get: operations["listAsks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/asks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an ask
         * @description A permission takes `once`, `always` or `reject`; a question takes its answers, or `reject`. A permission that is rejected with a `message` does not end the turn.
         */
        post: operations["answerAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens, as it happens
         * @description Server-sent events: `event` is the type, `id` an opaque cursor, `data` a StreamEvent. With the id of the last event in `Last-Event-ID` the stream goes on after it; without one it begins now, with an `open` event whose id can be resumed from. A `reset` tells that something in between is not kept any more, and how the lanes are now. An `item.delta` has no id, for it is not kept: a client that resumes finds its text in the `item.completed`.
         */
        get: operations["stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What agents did and said, oldest first
         * @description Without `after`, from the oldest that is kept. Deltas are not kept.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether messages can be taken and brought to agents
         * @description Looks at the store and the runtimes; spends no tokens of a model.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which Waybill this is, and since when it runs */
        get: operations["version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Numbers for Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start anew
         * @description The worker ends in good order and its supervisor starts another one. Nothing that was admitted is lost.
         */
        post: operations["restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A one-time code for a browser */
        post: operations["newLoginCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exchange a one-time code for the page's cookie */
        get: operations["login"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The lanes and their state, for people */
        get: operations["frontPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        SendResult: {
            messageId: string;
            /** @description Null for a message that waits in a mailbox to be read. */
            deliveryId: string | null;
            /**
             * @description `handed_over`: it is where its recipient reads. `pending`: its row is still to be written there.
             * @enum {string}
             */
            status: "pending" | "submitting" | "accepted" | "unanswered" | "retry_scheduled" | "failed_retryable" | "failed_terminal" | "responded" | "cancelled" | "handed_over";
            /** @enum {string} */
            responseState: "not_observed" | "pending" | "prompt_not_indexed" | "prompt_delivered_no_assistant_message" | "responded_tool_call" | "responded_visible_message" | "responded_non_visible_tool" | "responded_plain_text" | "permission_blocked" | "question_blocked" | "interrupted" | "tool_error" | "empty_assistant_turn" | "session_stale" | "session_error" | "reconcile_failed";
            /** @description Whether an outcome is still to come. */
            responsePending: boolean;
            acceptanceUnknown: boolean;
            queuedBehindMessageId?: string;
            visibleReply?: {
                messageId: string | null;
                mailbox: string | null;
                /** @enum {string} */
                correlation: "relayOfMessageId" | "direct_child_message_send" | "plain_assistant_text";
            };
            reason?: string;
            diagnostics: string[];
            /** @description Why it is not sent for now, in words. */
            waits?: string;
            handOver?: components["schemas"]["HandOver"];
        };
        /** @description Of a message to a member whose inbox is a file. */
        HandOver: {
            /**
             * @description `waiting`: to be written. `handed_over`: it stands in the file. `taken`: flagged as read, or removed by the program that reads it; no answer. `gone`: taken or lost.
             * @enum {string}
             */
            state: "waiting" | "handed_over" | "taken" | "gone";
            reason: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            changedAt: string;
        };
        Error: {
            error: {
                code: string;
                message: string;
                hint?: string;
            };
        };
        NewMessage: {
            to: {
                lane: string;
            } | {
                team: string;
                member: string;
            } | {
                person: string;
            };
            /** @description Who sends; "user" unless said otherwise. */
            from?: string;
            text: string;
            summary?: string;
            /** @enum {string} */
            actionMode?: "do" | "ask" | "delegate" | "notify";
            taskRefs?: {
                id: string;
                team?: string;
                title?: string;
            }[];
            relayOfMessageId?: string;
            /**
             * @description What a reply is, in the word of whoever replies.
             * @enum {string}
             */
            outcome?: "answer" | "done" | "question" | "blocked" | "progress";
            /** @description Files that were stored before, as POST /v1/attachments answered. */
            attachments?: components["schemas"]["Attachment"][];
            /** @description Who gets the answer; the sender unless said otherwise. A name is that of a person. */
            replyTo?: string | {
                lane: string;
            } | {
                team: string;
                member: string;
            } | {
                person: string;
            };
            /** @enum {string} */
            source?: "ui" | "cli" | "manual";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expiresAt?: string;
            /** @description Chosen by the sender, so that sending twice is safe. */
            messageId?: string;
        };
        Attachment: {
            id: string;
            name: string;
            mimeType: string;
            size: number;
        };
        MessagePage: {
            messages: components["schemas"]["Message"][];
            /** @description Where the next page begins, if there is one. */
            nextCursor?: string;
        };
        Message: {
            id: string;
            to: {
                lane: string;
            } | {
                team: string;
                member: string;
            } | {
                person: string;
            };
            from: string;
            /** @description The lane in whose conversation it stands. */
            lane: string | null;
            text: string;
            summary: string | null;
            /** @enum {string|null} */
            actionMode: "do" | "ask" | "delegate" | "notify" | null;
            taskRefs: {
                id: string;
                team?: string;
                title?: string;
            }[];
            attachments: components["schemas"]["Attachment"][];
            relayOfMessageId: string | null;
            /**
             * @description What it is: in its agent's own word, or what Waybill takes it for.
             * @enum {string|null}
             */
            outcome: "answer" | "done" | "question" | "blocked" | "progress" | "acknowledgement" | "provider_error" | null;
            replyTo: string;
            /** @enum {string} */
            source: "watcher" | "ui" | "cli" | "telegram" | "mcp" | "manual" | "watchdog";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            readAt: string | null;
            /** @description What became of its row, where its recipient reads an inbox file. */
            handOver: components["schemas"]["HandOver"] | null;
        };
        Sent: {
            messageId: string;
            deliveryId: string;
            /** @enum {string} */
            status: "pending" | "submitting" | "accepted" | "unanswered" | "retry_scheduled" | "failed_retryable" | "failed_terminal" | "responded" | "cancelled";
            /** @enum {string} */
            responseState: "not_observed" | "pending" | "prompt_not_indexed" | "prompt_delivered_no_assistant_message" | "responded_tool_call" | "responded_visible_message" | "responded_non_visible_tool" | "responded_plain_text" | "permission_blocked" | "question_blocked" | "interrupted" | "tool_error" | "empty_assistant_turn" | "session_stale" | "session_error" | "reconcile_failed";
            /** @description Whether an outcome is still to come. */
            responsePending: boolean;
            acceptanceUnknown: boolean;
            queuedBehindMessageId?: string;
            visibleReply?: {
                messageId: string | null;
                mailbox: string | null;
                /** @enum {string} */
                correlation: "relayOfMessageId" | "direct_child_message_send" | "plain_assistant_text";
            };
            reason?: string;
            diagnostics: string[];
        };
        DeliveryPage: {
            deliveries: components["schemas"]["Delivery"][];
            /** @description Where the next page begins, if there is one. */
            nextCursor?: string;
        };
        Delivery: components["schemas"]["Sent"] & {
            id: string;
            lane: string;
            team: string | null;
            member: string | null;
            /** @enum {string|null} */
            actionMode: "do" | "ask" | "delegate" | "notify" | null;
            /** @enum {string} */
            source: "watcher" | "ui" | "cli" | "telegram" | "mcp" | "manual" | "watchdog";
            /** @description How many attempts were made. */
            attempts: number;
            maxAttempts: number;
            repairs: number;
            replyTo: string;
            payloadHash: string;
            /** @description Files that the answer names and that are not on disk. */
            missingFiles: string[];
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            acceptedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            respondedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            failedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelledAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            readCommittedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            nextReconcileAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expiresAt: string | null;
            version: number;
        };
        DeliveryDetail: components["schemas"]["Delivery"] & {
            message: components["schemas"]["Message"] | null;
            /** @description What the agent or Waybill wrote back, oldest first. */
            replies: components["schemas"]["Message"][];
            attemptList: components["schemas"]["Attempt"][];
            audit: components["schemas"]["AuditEvent"][];
            evidence: {
                /** @enum {string|null} */
                proof: "destination_reply" | "visible_reply" | "tool" | "plain_text" | "notified_turn" | null;
                /**
                 * @description What the agent said that its reply is.
                 * @enum {string|null}
                 */
                outcome: "answer" | "done" | "question" | "blocked" | "progress" | null;
                visibleReply: {
                    messageId: string | null;
                    mailbox: string | null;
                    /** @enum {string} */
                    correlation: "relayOfMessageId" | "direct_child_message_send" | "plain_assistant_text";
                } | null;
                runtime: string | null;
                sessionId: string | null;
                deliveredUserMessageId: string | null;
                assistantMessageId: string | null;
                toolNames: string[];
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                observedAt: string | null;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                turnEndedAt: string | null;
                readCommitError: string | null;
            };
            next: {
                step: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string | null;
                /** @description What happens next, for people. */
                words: string;
            };
        };
        Attempt: {
            number: number;
            kind: string;
            because: string | null;
            sessionId: string;
            runtimeMessageId: string;
            sends: number;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            submittedAt: string;
            /**
             * Format: date-time
             * @description The agent program had the prompt.
             * @example 2026-01-31T12:00:00.000Z
             */
            storedAt: string | null;
            /**
             * Format: date-time
             * @description The first word, thought or tool call for it.
             * @example 2026-01-31T12:00:00.000Z
             */
            firstTokenAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            lastActivityAt: string | null;
            /**
             * Format: date-time
             * @description The end of its turn, as the agent program says it.
             * @example 2026-01-31T12:00:00.000Z
             */
            finishedAt: string | null;
            /**
             * Format: date-time
             * @description What it brought was found to be proof.
             * @example 2026-01-31T12:00:00.000Z
             */
            provenAt: string | null;
        };
        AuditEvent: {
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            event: string;
            reason: string | null;
            by: string | null;
        };
        LaneList: {
            lanes: components["schemas"]["Lane"][];
        };
        Lane: {
            id: string;
            displayName: string | null;
            team: string | null;
            member: string | null;
            runtime: string;
            runtimeReady: boolean;
            directory: string;
            agent: string | null;
            model: string | null;
            /** @enum {string} */
            contract: "text" | "tool";
            pausedReason: string | null;
            sessionId: string | null;
            generation: number;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            createdAt: string;
            /** @description The delivery that holds the lane. */
            holder: components["schemas"]["Sent"] | null;
            /** @description How many messages wait behind it. */
            waiting: number;
            waitReason: string | null;
            /** @description What does not go as it should, although its runtime works. */
            notices: {
                code: string;
                message: string;
            }[];
            /** @description What its agent has used today, in tokens and dollars; null where nothing is known of it. */
            usage: {
                tokens: number;
                cost: number;
            } | null;
        };
        Pause: {
            reason?: string;
        };
        Adoption: {
            /** @example ses_0123456789abcdef */
            sessionId: string;
        };
        TeamList: {
            teams: components["schemas"]["Team"][];
        };
        Team: {
            name: string;
            displayName: string | null;
            /** @enum {string} */
            state: "active" | "paused" | "stopped";
            /** @description Where its members write to each other in files. */
            directory: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            createdAt: string;
            members: components["schemas"]["Member"][];
            /** @description What does not go as it should with its inbox files. */
            notices: {
                code: string;
                message: string;
            }[];
        };
        Member: {
            name: string;
            /** @enum {string} */
            kind: "lane" | "native" | "person";
            lane: string | null;
            displayName: string | null;
            role: string | null;
            /** @enum {string|null} */
            color: "red" | "orange" | "yellow" | "green" | "blue" | "purple" | "pink" | "cyan" | "gray" | null;
            /** @enum {string|null} */
            contract: "text" | "tool" | null;
            /** @enum {string} */
            state: "active" | "idle" | "working" | "blocked" | "paused" | "offline" | "terminated";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            terminatedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            createdAt: string;
        };
        NewTeam: {
            displayName?: string | null;
        };
        TeamImport: {
            /** @description Where its config.json and its inboxes are. */
            directory: string;
            /** @description By default what the team calls itself. */
            name?: string;
            /** @description The members that Waybill is to run, each with its lane. Others run all the rest. */
            lanes?: {
                [key: string]: string;
            };
            /** @description Of a Claude Code session: makes Waybill a member in its `config.json`, so that its agents can answer. Without it they cannot. */
            join?: boolean;
        };
        NewMember: {
            /**
             * @description `lane`: Waybill runs it. `native`: somebody else does. `person`: reads an inbox.
             * @default lane
             * @enum {string}
             */
            kind: "lane" | "native" | "person";
            /** @description Of kind `lane`: where it works; by default the lane of its name. */
            lane?: string;
            displayName?: string | null;
            /** @description `lead` makes it the team's lead. */
            role?: string | null;
            /** @enum {string|null} */
            color?: "red" | "orange" | "yellow" | "green" | "blue" | "purple" | "pink" | "cyan" | "gray" | null;
            /**
             * @description The reply contract of its lane.
             * @enum {string}
             */
            contract?: "text" | "tool";
        };
        MemberToken: {
            /** @description Good for the tools at `/mcp` alone. */
            token: string;
        };
        InboxPage: {
            messages: components["schemas"]["Message"][];
            /** @description Where the next page begins, if there is one. */
            nextCursor?: string;
        };
        ReadCount: {
            /** @description How many were unread before. */
            marked: number;
        };
        ReadMarks: {
            /** @description "user" unless said otherwise. */
            person?: string;
            /** @description The messages that were read; without them, all. */
            ids?: string[];
        };
        HoldList: {
            holds: components["schemas"]["Hold"][];
        };
        Hold: {
            /** @description The two whose agents write to each other. */
            lanes: string[];
            /** @description How many messages they wrote. */
            count: number;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            beganAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            heldAt: string;
        };
        Released: {
            /** @description How many messages go on. */
            released: number;
        };
        Release: {
            lanes: [
                string,
                string
            ];
        };
        AskList: {
            asks: components["schemas"]["Ask"][];
        };
        Ask: {
            id: string;
            /** @enum {string} */
            kind: "permission" | "question";
            title: string;
            lane: string;
            deliveryId: string | null;
            messageId: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
        };
        AskAnswer: {
            /** @enum {string} */
            decision: "once" | "always" | "reject";
            answers?: string[][];
            /** @description Why a permission is rejected. The agent reads it and goes on. */
            message?: string;
        };
        StreamEvent: {
            /** @enum {string} */
            type: "message";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            message: components["schemas"]["Message"];
        } | {
            /** @enum {string} */
            type: "delivery";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /** @description What happened: submit, accepted, unanswered, proven, … */
            event: string;
            reason: string | null;
            delivery: components["schemas"]["Delivery"];
        } | {
            /** @enum {string} */
            type: "lane";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            id: string;
            removed: boolean;
            pausedReason: string | null;
        } | {
            /** @enum {string} */
            type: "alert";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            alert: components["schemas"]["Alert"];
        } | {
            /** @enum {string} */
            type: "team";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            name: string;
            removed: boolean;
            /** @enum {string|null} */
            state: "active" | "paused" | "stopped" | null;
            members: string[];
        } | {
            /** @enum {string} */
            type: "member";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            team: string;
            member: string;
            lane: string | null;
            /**
             * @description What the member is doing from now on. It is not kept.
             * @enum {string}
             */
            state: "active" | "idle" | "working" | "blocked" | "paused" | "offline" | "terminated";
        } | {
            /** @enum {string} */
            type: "inbox";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            team: string;
            /** @description Whose inbox file it is; null for the team's directory. */
            inbox: string | null;
            lane: string | null;
            /**
             * @description What happened in a team's inbox files.
             * @enum {string}
             */
            event: "hand_over" | "restored" | "system_row" | "row_refused" | "problem" | "usable";
            messageId: string | null;
            /** @enum {string|null} */
            state: "waiting" | "handed_over" | "taken" | "gone" | null;
            /** @enum {string|null} */
            rowType: "idle_notification" | "shutdown_request" | "shutdown_approved" | "shutdown_rejected" | "shutdown_response" | "permission_request" | "permission_response" | "plan_approval_request" | "plan_approval_response" | "task_assignment" | null;
            from: string | null;
            reason: string | null;
            detail: string | null;
        } | components["schemas"]["SessionStartedEvent"] | components["schemas"]["SessionEndedEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnEndedEvent"] | components["schemas"]["ItemStartedEvent"] | components["schemas"]["ItemDeltaEvent"] | components["schemas"]["ItemCompletedEvent"] | components["schemas"]["PermissionRequestedEvent"] | components["schemas"]["PermissionResolvedEvent"] | components["schemas"]["QuestionRequestedEvent"] | components["schemas"]["QuestionResolvedEvent"] | components["schemas"]["UsageEvent"] | components["schemas"]["ErrorEvent"] | components["schemas"]["UnparsedEvent"] | components["schemas"]["StreamOpened"] | components["schemas"]["StreamReset"];
        Alert: {
            id: string;
            /** @enum {string} */
            kind: "ask" | "failure" | "late" | "loop" | "held";
            lane: string;
            deliveryId: string | null;
            messageId: string | null;
            askId: string | null;
            person: string | null;
            reason: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            raisedAt: string;
        };
        SessionStartedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.started";
            data: {
                resumed: boolean;
            };
        };
        SessionEndedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.ended";
            data: {
                reason: string;
            };
        };
        TurnStartedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.started";
            data: {
                prompt: string | null;
            };
        };
        TurnEndedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.ended";
            data: {
                /** @enum {string} */
                reason: "completed" | "error" | "aborted" | "interrupted";
                error: string | null;
                queued: number;
            };
        };
        ItemStartedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "item.started";
            data: {
                item: {
                    id: string;
                    /** @enum {string} */
                    kind: "message" | "tool_call" | "tool_result" | "file_change" | "plan" | "status";
                    /** @enum {string|null} */
                    role: "user" | "assistant" | null;
                    name: string | null;
                    parent: string | null;
                    /** @enum {string} */
                    status: "in_progress" | "completed" | "failed";
                    parts: ({
                        /** @enum {string} */
                        type: "text";
                        id: string;
                        text: string;
                    } | {
                        /** @enum {string} */
                        type: "reasoning";
                        id: string;
                        text: string;
                    } | {
                        /** @enum {string} */
                        type: "tool_call";
                        call: string;
                        name: string;
                        input?: unknown;
                    } | {
                        /** @enum {string} */
                        type: "tool_result";
                        call: string;
                        name: string;
                        output: string;
                        isError: boolean;
                        rejected: boolean;
                    } | {
                        /** @enum {string} */
                        type: "file";
                        path: string;
                        /** @enum {string} */
                        change: "added" | "modified" | "deleted" | "unknown";
                        diff: string | null;
                    } | {
                        /** @enum {string} */
                        type: "image";
                        id: string;
                        mime: string;
                        name: string | null;
                    } | {
                        /** @enum {string} */
                        type: "json";
                        id: string;
                        value?: unknown;
                    })[];
                };
            };
        };
        ItemDeltaEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "item.delta";
            data: {
                item: string;
                part: string;
                /** @enum {string} */
                kind: "text" | "reasoning" | "input" | "output";
                text: string;
            };
        };
        ItemCompletedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "item.completed";
            data: {
                item: {
                    id: string;
                    /** @enum {string} */
                    kind: "message" | "tool_call" | "tool_result" | "file_change" | "plan" | "status";
                    /** @enum {string|null} */
                    role: "user" | "assistant" | null;
                    name: string | null;
                    parent: string | null;
                    /** @enum {string} */
                    status: "in_progress" | "completed" | "failed";
                    parts: ({
                        /** @enum {string} */
                        type: "text";
                        id: string;
                        text: string;
                    } | {
                        /** @enum {string} */
                        type: "reasoning";
                        id: string;
                        text: string;
                    } | {
                        /** @enum {string} */
                        type: "tool_call";
                        call: string;
                        name: string;
                        input?: unknown;
                    } | {
                        /** @enum {string} */
                        type: "tool_result";
                        call: string;
                        name: string;
                        output: string;
                        isError: boolean;
                        rejected: boolean;
                    } | {
                        /** @enum {string} */
                        type: "file";
                        path: string;
                        /** @enum {string} */
                        change: "added" | "modified" | "deleted" | "unknown";
                        diff: string | null;
                    } | {
                        /** @enum {string} */
                        type: "image";
                        id: string;
                        mime: string;
                        name: string | null;
                    } | {
                        /** @enum {string} */
                        type: "json";
                        id: string;
                        value?: unknown;
                    })[];
                };
            };
        };
        PermissionRequestedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "permission.requested";
            data: {
                ask: string;
                title: string;
                call: string | null;
                detail?: unknown;
            };
        };
        PermissionResolvedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "permission.resolved";
            data: {
                ask: string;
                /** @enum {string} */
                outcome: "once" | "always" | "reject" | "expired";
            };
        };
        QuestionRequestedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "question.requested";
            data: {
                ask: string;
                call: string | null;
                questions: {
                    header: string | null;
                    question: string;
                    options: {
                        label: string;
                        description: string | null;
                    }[];
                    multiple: boolean;
                }[];
            };
        };
        QuestionResolvedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "question.resolved";
            data: {
                ask: string;
                /** @enum {string} */
                outcome: "answered" | "reject" | "expired";
                answers: string[][] | null;
            };
        };
        UsageEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "usage";
            data: {
                /** @enum {string} */
                of: "message" | "turn";
                item: string | null;
                model: string | null;
                tokens: {
                    input: number;
                    output: number;
                    reasoning: number;
                    cacheRead: number;
                    cacheWrite: number;
                };
                cost: number | null;
            };
        };
        ErrorEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
            data: {
                message: string;
                item: string | null;
                status?: number;
            };
        };
        UnparsedEvent: {
            id: string;
            seq: number;
            time: number;
            lane: string;
            session: string;
            nativeSession?: string;
            turn: number | null;
            /** @enum {string} */
            source: "agent" | "daemon";
            synthetic: boolean;
            copied?: boolean;
            raw?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "unparsed";
            data: {
                reason: string;
            };
        };
        StreamOpened: {
            /** @enum {string} */
            type: "open";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
        };
        StreamReset: {
            /** @enum {string} */
            type: "reset";
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /** @description The lanes as they are now, with what holds each of them. */
            lanes: components["schemas"]["Lane"][];
        };
        EventPage: {
            events: {
                /** @description Continues after this event. */
                cursor: string;
                event: components["schemas"]["UniversalEvent"];
            }[];
            /** @description Where to go on. A page without events is the end for now. */
            cursor: string;
            /** @description Some that came after the cursor are not kept any more. */
            reset: boolean;
        };
        UniversalEvent: components["schemas"]["SessionStartedEvent"] | components["schemas"]["SessionEndedEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnEndedEvent"] | components["schemas"]["ItemStartedEvent"] | components["schemas"]["ItemDeltaEvent"] | components["schemas"]["ItemCompletedEvent"] | components["schemas"]["PermissionRequestedEvent"] | components["schemas"]["PermissionResolvedEvent"] | components["schemas"]["QuestionRequestedEvent"] | components["schemas"]["QuestionResolvedEvent"] | components["schemas"]["UsageEvent"] | components["schemas"]["ErrorEvent"] | components["schemas"]["UnparsedEvent"];
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        Readiness: {
            ready: boolean;
            degraded: boolean;
            reasons: string[];
        };
        Version: {
            /** @enum {string} */
            name: "waybill";
            version: string;
            /** @enum {number} */
            api: 1;
            runId: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            startedAt: string;
        };
        Restarting: {
            /** @enum {string} */
            status: "restarting";
        };
        LoginCode: {
            /** @description For `GET /login?code=…`, once. */
            code: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expiresAt: string;
        };
        NewLane: {
            id: string;
            displayName?: string;
            team?: string;
            member?: string;
            /** @enum {string} */
            runtime?: "opencode" | "claude" | "pi" | "stub";
            directory: string;
            agent?: string;
            model?: string;
            /** @enum {string} */
            contract?: "text" | "tool";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMessages: {
        parameters: {
            query?: {
                /** @description Only those of this lane. */
                lane?: string;
                /** @description Only those in which all of these words were said. */
                q?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. None for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            /** @description Admitted, now or before. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResult"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawMessage: {
        parameters: {
            query?: {
                /** @description Needed when several lanes have a message of that id. */
                lane?: string;
            };
            header?: never;
            path: {
                /** @description The message's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken back. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sent"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    storeAttachment: {
        parameters: {
            query: {
                /** @description What the file is called, without directories. */
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Stored, now or before. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The attachment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/gif": string;
                    "image/webp": string;
                    "application/pdf": string;
                    "application/octet-stream": string;
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Only those of this lane. */
                lane?: string;
                /** @description Only those in one of these, separated by commas: pending, submitting, accepted, unanswered, retry_scheduled, failed_retryable, failed_terminal, responded, cancelled. */
                status?: string;
                /** @description Only those of this message. */
                messageId?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. None for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that is known of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It waits for its turn again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is over. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLanes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaneList"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putLane: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLane"];
            };
        };
        responses: {
            /** @description The lane as it is now. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showLane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lane. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeLane: {
        parameters: {
            query?: {
                /** @description `true`: deliveries that are open in it end as cancelled. */
                force?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    abortLane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lane as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pauseLane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Pause"];
            };
        };
        responses: {
            /** @description The lane as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeLane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lane as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    releaseLane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lane as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    adoptSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lane's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Adoption"];
            };
        };
        responses: {
            /** @description The lane as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lane"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeam"];
            };
        };
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamImport"];
            };
        };
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pauseTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    stopTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
                /** @description The member's name, or `lead` for the team's lead. */
                member: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
                /** @description The member's name, or `lead` for the team's lead. */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    shutDownMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
                /** @description The member's name, or `lead` for the team's lead. */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    memberToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team's name. */
                team: string;
                /** @description The member's name, or `lead` for the team's lead. */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberToken"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description "user" unless said otherwise. */
                person?: string;
                /** @description `true`: only what was not read. */
                unread?: "true" | "false";
                /** @description How many at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. None for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxPage"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    markRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadMarks"];
            };
        };
        responses: {
            /** @description Marked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadCount"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listHolds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldList"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    releaseHold: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Release"];
            };
        };
        responses: {
            /** @description They go on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Released"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAsks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that are open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskList"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    answerAsk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ask's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskAnswer"];
            };
        };
        responses: {
            /** @description The agent has it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    stream: {
        parameters: {
            query?: {
                /** @description Only those of this lane. */
                lane?: string;
                /** @description Only these types, separated by commas. `events` stands for everything that agents do and say. */
                types?: string;
                /** @description For clients that cannot set the header. */
                lastEventId?: string;
            };
            header?: {
                /** @description The id of the last event that was seen. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEvent"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only those of this lane. */
                lane?: string;
                /** @description `cursor` of the page before, or the id of an event. */
                after?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can work, perhaps degraded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It cannot; `reasons` says why, in codes. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    version: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Version, and this run of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In Prometheus' text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restarting"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not fit what is there; nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    newLoginCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Good once, for a minute. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginCode"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No token, or a wrong one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: {
                /** @description The code. */
                code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Come in. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The code is wrong, used or too old; or the `Host` or the `Origin` is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    frontPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description How to get in. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The `Host` or the `Origin` is not allowed, or what was asked for is not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault in Waybill; its log says more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not at this moment; try again after a while. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
