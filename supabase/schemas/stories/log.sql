-- What was planned, tested and committed for a story (specification: Story log entry). Entries are never changed.
-- Constraints refuse fields of another type. `job_id` is the agent job that wrote the entry, if any.
create table public.story_logs (
  id uuid primary key default gen_random_uuid(),
  story_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  type public.story_log_type not null,
  content text not null constraint story_logs_content_length check (char_length(content) between 1 and 100000),
  status public.story_log_status,
  commit_hash text constraint story_logs_commit_hash_length check (char_length(commit_hash) between 1 and 200),
  commit_message text constraint story_logs_commit_message_length check (char_length(commit_message) between 1 and 100000),
  metadata jsonb
    constraint story_logs_metadata_object check (jsonb_typeof(metadata) = 'object'),
  user_id uuid default auth.uid() references public.users (id) on delete set null,
  job_id uuid,
  created_at timestamptz not null default private.now(),
  constraint story_logs_status_of_test_result check ((type = 'TEST_RESULT') = (status is not null)),
  constraint story_logs_commit_fields check (
    (type = 'COMMIT') = (commit_hash is not null) and (type = 'COMMIT') = (commit_message is not null)
  ),
  constraint story_logs_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

-- At most 64 KiB without jsonb's spaces. Not valid: older entries, when twice as much was accepted, stay.
alter table public.story_logs
  add constraint story_logs_metadata_size check (
    octet_length(metadata::text) <= 65536
    or octet_length(regexp_replace(metadata::text, '("(?:[^"\\]|\\.)*")| ', '\1', 'g')) <= 65536
  ) not valid;

comment on table public.story_logs is 'Story log entries (specification: Story log entry).';
create index story_logs_story_idx on public.story_logs (story_id, product_id, created_at, id);
create index story_logs_product_id_idx on public.story_logs (product_id);
create index story_logs_user_id_idx on public.story_logs (user_id);

alter table public.story_logs enable row level security;

-- Members read log entries and add them in their own name; no one changes them (specification: Story log entry).
create policy story_logs_select on public.story_logs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy story_logs_insert on public.story_logs for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));

create policy story_logs_no_demo_insert on public.story_logs as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
grant select on public.story_logs to authenticated;
grant insert (id, story_id, type, content, status, commit_hash, commit_message, metadata)
  on public.story_logs to authenticated;

-- A log entry always has the product_id of its story, which decides access and events. Definer: the story may be
-- hidden from the caller, whose write RLS then refuses (specification: Story log entry).
create function private.tg_story_logs__copy_product()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.product_id := private.product_of('story', new.story_id);
  return new;
end;
$$;
create trigger _120_copy_product before insert on public.story_logs
  for each row execute function private.tg_story_logs__copy_product();
create trigger _140_take_rate_limit before insert on public.story_logs
  for each row execute function private.tg_any__take_rate_limit('story_log');

-- With its product and idea. Definer: no client may call private.emit (specification: Events emitted by operations).
create function private.tg_story_logs__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_idea_id uuid;
begin
  select p.idea_id
  into v_idea_id
  from public.stories as s
  join public.pbis as p on p.id = s.pbi_id
  where s.id = new.story_id;

  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'I', 'entity', 'story_log', 'id', new.id, 'product_id', new.product_id,
    'story_id', new.story_id, 'idea_id', v_idea_id
  ));
  return null;
end;
$$;
create trigger _900_emit
after insert on public.story_logs
for each row execute function private.tg_story_logs__emit();
create trigger _940_limit_rows after insert on public.story_logs
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('story_id', '10000', 'log entries of this story, which is the limit. Go on in another story.');

-- Refuses fields of another entry type (specification: POST /api/stories/:id/log).
create function operations.append_story_log(
  p_story_id uuid, p_type text, p_content text, p_status text default null, p_commit_hash text default null,
  p_commit_message text default null, p_metadata jsonb default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_entry public.story_logs;
begin
  perform private.parse_choice('type', coalesce(p_type, ''), '{IMPLEMENTATION_PLAN,TEST_RESULT,COMMIT}');
  perform private.parse_choice('status', p_status, '{PASSED,FAILED}');
  if (p_type = 'TEST_RESULT') <> (p_status is not null)
    or (p_type = 'COMMIT') <> (p_commit_hash is not null) or (p_type = 'COMMIT') <> (p_commit_message is not null) then
    perform private.refuse(422, 'TEST_RESULT takes status, COMMIT takes commit_hash and commit_message, and no type takes the fields of another.',
      '{"issues":[{"path":"type","message":"The fields do not fit this type."}]}');
  end if;

  perform private.require_write('story', p_story_id);

  insert into public.story_logs (story_id, type, content, status, commit_hash, commit_message, metadata)
  values (p_story_id, p_type::public.story_log_type, p_content, p_status::public.story_log_status, p_commit_hash,
    p_commit_message, p_metadata)
  returning * into v_entry;

  return json_build_object('id', v_entry.id,
    'created_at', to_char(v_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;
grant execute on function operations.append_story_log to authenticated;
comment on function operations.append_story_log is 'scope plan or work';
