-- Why: the members a comment mentions. It is in their inbox until they answer there or archive it.
-- Written only together with the comment.
create table public.comment_mentions (
  comment_id uuid not null references public.comments (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (comment_id, user_id)
);

comment on table public.comment_mentions is 'Members whom a comment mentions with @name.';

create index comment_mentions_user_id_idx on public.comment_mentions (user_id, created_at);

alter table public.comment_mentions enable row level security;

create policy comment_mentions_select on public.comment_mentions for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.comment_mentions to authenticated;
grant select, insert, update, delete on public.comment_mentions to service_role;
