-- Why: the content of a file, read by operations.read_file after it has checked access.
create table public.file_contents (
  file_id uuid primary key references public.files (id) on delete cascade,
  content bytea not null
);

-- Not compressed, so that a part of a file is read without the rest.
alter table public.file_contents alter column content set storage external;

comment on table public.file_contents is 'The bytes of files; service only.';

alter table public.file_contents enable row level security;

create policy file_contents_service on public.file_contents for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.file_contents to service_role;
