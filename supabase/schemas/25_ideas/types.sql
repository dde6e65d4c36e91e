create type public.idea_status as enum ('DRAFT', 'DISCUSSING', 'READY', 'PLANNED');

comment on type public.idea_status is 'States of an idea (specification: Idea). PLANNED means promoted to a PBI.';
