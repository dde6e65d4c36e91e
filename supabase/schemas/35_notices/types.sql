-- The states of one delivery to a device or a webhook.
create type public.notice_status as enum ('PENDING', 'DELIVERED', 'FAILED');

comment on type public.notice_status is 'States of a notice in the outbox (specification: Agent question; push, webhooks).';
