"""Whatever goes to the app: over Socket Mode or HTTP, with three seconds to acknowledge and Slack's retries."""

import asyncio
import itertools
from collections.abc import Callable

from bridge.sandbox.slack.events import Attempt, Delivery
from bridge.sandbox.slack.hooks import Hooks
from bridge.sandbox.slack.sockets import NotAcknowledged, Sockets
from bridge.sandbox.slack.state import Json


class PostOffice:
    """Deliveries in order of sending. Events are retried, interactions and commands are not.

    ``hooks`` set: HTTP mode, else Socket Mode. An event that finds no connection waits for one as long as the retries
    would have lasted, and then comes as a retry. Faults to order: ``lose_acks`` and ``duplicate_events``; while
    ``repeats`` is True every event comes twice.
    """

    def __init__(
        self,
        sockets: Sockets,
        clock: Callable[[], float],
        changed: Callable[[Delivery], None],
        *,
        ack_seconds: float,
        retry_delays: tuple[float, ...],
    ) -> None:
        """``changed`` hears of every attempt and outcome. ``retry_delays`` (s) come before each retry."""
        self.sockets = sockets
        self.hooks: Hooks | None = None
        self.repeats = False
        self.deliveries: list[Delivery] = []
        self.ack_seconds = ack_seconds
        self.retry_delays = retry_delays
        self._clock = clock
        self._changed = changed
        self._queue: asyncio.Queue[Delivery] = asyncio.Queue()
        self._envelopes = itertools.count(1)
        self._lost_acks = 0
        self._duplicates = 0

    def lose_acks(self, times: int = 1) -> None:
        """The acknowledgements of the next events get lost on the way: the app did it, Slack sends it again."""
        self._lost_acks += times

    def duplicate_events(self, times: int = 1) -> None:
        """The next events are delivered twice, acknowledged or not, with the same event id and no sign of a retry."""
        self._duplicates += times

    def send(self, delivery: Delivery) -> Delivery:
        """Hands it over; it goes out at once."""
        self.deliveries.append(delivery)
        self._queue.put_nowait(delivery)
        return delivery

    async def run(self) -> None:
        """Delivers until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                delivery = await self._queue.get()
                group.create_task(self._deliver(delivery))
                if delivery.kind == "events_api" and (self.repeats or self._duplicates > 0):
                    self._duplicates = max(0, self._duplicates - 1)
                    twin = Delivery(delivery.kind, delivery.payload, delivery.at)
                    self.deliveries.append(twin)
                    group.create_task(self._deliver(twin))

    async def _deliver(self, delivery: Delivery) -> None:
        delays = self.retry_delays if delivery.kind == "events_api" else ()
        retry: tuple[int, str] | None = None
        for number in range(len(delays) + 1):
            if number > 0:
                await asyncio.sleep(delays[number - 1])
            if delays and self.hooks is None and not self.sockets.open:
                if not await self.sockets.wait_connected(sum(delays) + self.ack_seconds):
                    break
                retry = retry or (1, "timeout")
            try:
                response = await self._attempt(delivery, retry)
            except NotAcknowledged as missing:
                self._note(delivery, number, str(missing))
                reason = "timeout" if self.hooks is None else str(missing)
                retry = (number + 1, reason)
                continue
            delivery.state, delivery.response = "acked", response
            self._note(delivery, number, "acked")
            if delivery.acked is not None:
                delivery.acked(response)
                self._changed(delivery)
            return
        delivery.state = "failed"
        self._changed(delivery)

    async def _attempt(self, delivery: Delivery, retry: tuple[int, str] | None) -> Json | None:
        if self.hooks is not None:
            response = await self.hooks.deliver(delivery.kind, delivery.payload, self.ack_seconds, retry)
        else:
            response = await self.sockets.deliver(self._envelope(delivery, retry), self.ack_seconds)
        if delivery.kind == "events_api" and self._lost_acks > 0:
            self._lost_acks -= 1
            raise NotAcknowledged("timeout" if self.hooks is None else "http_timeout")
        return response

    def _envelope(self, delivery: Delivery, retry: tuple[int, str] | None) -> Json:
        envelope: Json = {
            "envelope_id": f"envelope-{next(self._envelopes)}",
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": retry[0] if retry else 0, "retry_reason": retry[1] if retry else ""}
        return envelope

    def _note(self, delivery: Delivery, number: int, result: str) -> None:
        delivery.attempts.append(Attempt(self._clock(), number, result))
        self._changed(delivery)
