-- The states of a login pairing (specification: States and transitions, Login pairing).
create type public.pairing_status as enum ('PENDING', 'APPROVED', 'CONSUMED', 'CANCELLED');

comment on type public.pairing_status is 'States of a login pairing (specification: Login pairing).';
