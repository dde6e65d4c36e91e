-- Which files of a change a person has looked at, and at what content: a new attempt asks for another look only
-- where it differs. Of a path the last content seen is kept, at the attempt at which it was seen. Written by functions
-- only; paths are hashed, since an index holds no long ones.
create table public.viewed_files (
  user_id uuid not null references public.users (id) on delete cascade,
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  path_digest bytea not null,
  content_digest bytea not null,
  attempt integer not null constraint viewed_files_attempt_positive check (attempt >= 1),
  viewed_at timestamptz not null default private.now(),
  constraint viewed_files_pkey primary key (user_id, job_id, path_digest)
);
comment on table public.viewed_files is 'Files of changes that people have viewed, readable only by them (docs/review.md).';
create index viewed_files_job_id_idx on public.viewed_files (job_id);
alter table public.viewed_files enable row level security;

-- Marks a file of an attempt as viewed by the caller, or takes the mark back. Refusals: 404, 403, 422, 429.
-- Definer: marks are written by functions only (docs/review.md).
create function operations.mark_viewed(p_job_id uuid, p_attempt integer, p_path text, p_viewed boolean)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_content bytea;
begin
  perform private.require_product_write(v_job.product_id);
  perform private.require_session('Only a person looks at a change: sign in, and mark it on its page.');
  perform private.take_rate_limit('viewed', auth.uid()::text);
  select private.content_digest(f, d.head_sha) into v_content
  from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
  where d.job_id = p_job_id and d.attempt = p_attempt and f ->> 'path' = p_path
  limit 1;
  if v_content is null then
    perform private.refuse(422, format('The changes of attempt %s have no such file. Reload the page.', p_attempt));
  end if;
  if not p_viewed then
    delete from public.viewed_files v
    where v.user_id = auth.uid() and v.job_id = p_job_id and v.path_digest = private.path_digest(p_path);
    return 'null'::json;
  end if;
  insert into public.viewed_files as v (user_id, job_id, path_digest, content_digest, attempt)
  values (auth.uid(), p_job_id, private.path_digest(p_path), v_content, p_attempt)
  on conflict (user_id, job_id, path_digest) do update
  set content_digest = excluded.content_digest, attempt = excluded.attempt, viewed_at = excluded.viewed_at;
  return 'null'::json;
end;
$$;
grant execute on function operations.mark_viewed to authenticated;

-- The files of an attempt that the caller has seen as they are there, and the newest attempt before it at which the
-- caller looked. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.list_viewed(p_job_id uuid, p_attempt integer)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'paths', (
      select coalesce(json_agg(f ->> 'path' order by f ->> 'path'), '[]')
      from public.job_diffs d
      cross join lateral jsonb_array_elements(d.files) f
      join public.viewed_files v on v.user_id = auth.uid() and v.job_id = d.job_id
        and v.path_digest = private.path_digest(f ->> 'path') and v.content_digest = private.content_digest(f, d.head_sha)
      where d.job_id = p_job_id and d.attempt = p_attempt),
    'before', (
      select max(v.attempt) from public.viewed_files v
      where v.user_id = auth.uid() and v.job_id = p_job_id and v.attempt < p_attempt));
end;
$$;
grant execute on function operations.list_viewed to authenticated;

-- A path as a key, however long.
create function private.path_digest(p_path text)
returns bytea language plpgsql immutable set search_path = '' as $$
begin
  return sha256(convert_to(p_path, 'UTF8'));
end;
$$;

-- What a person sees of a file. Where lines are missing, only the commit shows whether it is the same.
create function private.content_digest(p_file jsonb, p_head_sha text)
returns bytea language plpgsql immutable set search_path = '' as $$
begin
  return sha256(convert_to(jsonb_build_array(p_file -> 'path', p_file -> 'old_path', p_file -> 'status', p_file -> 'patch',
    case when p_file -> 'patch' is null or (p_file ->> 'truncated')::boolean then p_head_sha end)::text, 'UTF8'));
end;
$$;
