-- An import that its caller follows: how far it is, and for a day what came of it. Written by functions only.
create table public.imports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  rows integer not null constraint imports_rows_positive check (rows >= 0),
  state text not null default 'running' constraint imports_state_known check (state in ('running', 'done', 'failed')),
  report jsonb,
  error text constraint imports_error_length check (char_length(error) <= 10000),
  created_at timestamptz not null default now()
);

comment on table public.imports is 'Imports that are followed while they run (docs/rest.md).';
comment on column public.imports.rows is 'Stories, tasks and ideas of the file.';
create index imports_user_id_idx on public.imports (user_id, created_at);
alter table public.imports enable row level security;

-- Begins one, or one that failed again, before the transaction that imports. An account has one at a time. Refusals: 403, 409.
-- Definer: imports are written by functions only.
create function operations.start_import(p_import_id uuid, p_rows integer)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_no_demo();
  perform pg_advisory_xact_lock(hashtextextended('imports:' || auth.uid(), 0));
  delete from public.imports i where i.user_id = auth.uid() and i.created_at < private.now() - interval '1 day';
  if exists (
    select from public.imports i
    where i.user_id = auth.uid() and i.id <> p_import_id and i.state = 'running' and i.created_at > private.now() - private.longest_import()) then
    perform private.refuse(409, 'Your last import is still running. Wait for its end, then import this.');
  end if;
  insert into public.imports as i (id, user_id, rows, created_at) values (p_import_id, auth.uid(), p_rows, private.now())
  on conflict (id) do update set state = 'running', error = null, rows = p_rows, created_at = private.now()
  where i.user_id = auth.uid() and i.state = 'failed';
  return operations.get_import(p_import_id);
end;
$$;
grant execute on function operations.start_import to authenticated;

-- What came of it: a report, or the sentence of the refusal. Refusals: 404. Definer: imports are written by functions only.
create function operations.end_import(p_import_id uuid, p_report jsonb default null, p_error text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.imports i set state = case when p_report is null then 'failed' else 'done' end, report = p_report, error = left(p_error, 10000)
  where i.id = p_import_id and i.user_id = auth.uid();
  return operations.get_import(p_import_id);
end;
$$;
grant execute on function operations.end_import to authenticated;

-- An import of the caller, how far it is, and what came of it. One whose service stopped has failed. Refusals: 404.
-- Definer: imports are read by functions only.
create function operations.get_import(p_import_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_import public.imports;
begin
  select i.* into v_import from public.imports i
  where i.id = p_import_id and i.user_id = auth.uid() and coalesce(private.is_open_to_token((i.report -> 'product' ->> 'id')::uuid), true);
  if v_import.id is null then
    perform private.refuse(404, 'No such import. What came of one is kept for a day.');
  end if;
  if v_import.state = 'running' and v_import.created_at < private.now() - private.longest_import() then
    v_import.state := 'failed';
    v_import.error := 'The service stopped while it imported. Look whether the items are there, then import the file again.';
  end if;
  return json_build_object('import', json_build_object('id', v_import.id, 'state', v_import.state, 'of', v_import.rows,
    'done', case v_import.state when 'done' then v_import.rows else private.imported_rows(p_import_id) end,
    'report', v_import.report, 'error', v_import.error));
end;
$$;
grant execute on function operations.get_import to authenticated;
comment on function operations.get_import is 'reads';

-- An import takes less, or its statement is ended.
create function private.longest_import() returns interval language sql immutable set search_path = '' as $$
  select interval '2 minutes';
$$;

-- Says how many rows are written. No one sees a transaction's rows before its end, but all see its locks.
create function private.note_imported(p_import_id uuid, p_rows bigint) returns boolean language plpgsql volatile set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(hashtext(p_import_id::text), p_rows::integer);
  return true;
end;
$$;

-- What note_imported said last.
create function private.imported_rows(p_import_id uuid) returns bigint language plpgsql volatile set search_path = '' as $$
begin
  return (
    select coalesce(max(l.objid::bigint), 0) from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2 and l.classid::bigint = hashtext(p_import_id::text)::bigint & 4294967295
      and l.database = (select d.oid from pg_database d where d.datname = current_database()));
end;
$$;
