-- A worker sends titles and paths of the newest changes of main, newest first. The same head again does nothing.
-- Refusals: 404, 403, 409 where the product keeps no index, 422 for a repository of others, 429. Definer: indexes are written by
-- functions only (docs/forecast.md).
create function operations.save_change_index(p_product_id uuid, p_repository text, p_head_sha text, p_changes jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_repository text := private.repository_name(p_repository);
  v_id uuid;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('change_index', auth.uid()::text);
  perform private.share_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  if not exists (select from public.products p where p.id = p_product_id and p.change_index) then
    perform private.refuse(409, 'This product keeps no index of changes: its owner switched change_index off.');
  end if;
  if not exists (select from public.products p where p.id = p_product_id and private.repository_name(p.repo_url) = v_repository)
    and not exists (
      select from public.tasks t where t.product_id = p_product_id and t.repo_url <> '' and private.repository_name(t.repo_url) = v_repository)
  then
    perform private.refuse(422, 'Neither the product nor one of its tasks names this repository. Send the address that the job names.',
      '{"issues":[{"path":"repository","message":"This is not a repository of the product."}]}');
  end if;
  insert into public.change_indexes as x (product_id, repository, head_sha) values (p_product_id, v_repository, p_head_sha)
  on conflict on constraint change_indexes_once do update set head_sha = excluded.head_sha, updated_at = private.now()
  where x.head_sha <> excluded.head_sha
  returning x.id into v_id;
  if v_id is null then
    return 'null'::json;
  end if;
  -- Tasks can name many repositories: the ten with the newest heads are kept.
  delete from public.change_indexes x where x.product_id = p_product_id and x.id not in (
    select k.id from public.change_indexes k where k.product_id = p_product_id order by k.updated_at desc, k.id = v_id desc limit 10);
  delete from public.known_changes c where c.index_id = v_id;
  insert into public.known_changes (index_id, sha, at, place, title, words, paths, reverts)
  select v_id, c.value ->> 'sha', (c.value ->> 'at')::timestamptz, c.ordinality - 1, left(c.value ->> 'title', 300),
    private.words_of(c.value ->> 'title'), array(select distinct p from jsonb_array_elements_text(c.value -> 'paths') p), c.value ->> 'reverts'
  from jsonb_array_elements(p_changes) with ordinality c
  on conflict do nothing;
  perform private.join_finished_tasks(v_id);
  perform private.note_paths(v_id);
  return 'null'::json;
end;
$$;
grant execute on function operations.save_change_index to authenticated;
comment on function operations.save_change_index is 'scope work';

-- Host and path of an address: the same repository over https and ssh has one index.
create function private.repository_name(p_address text)
returns text language sql immutable set search_path = '' as $$
  select lower(regexp_replace(regexp_replace(regexp_replace(regexp_replace(p_address, '^\w+://', ''), '^[^@/]+@', ''),
    '(\.git)?/*$', ''), '^([^/:]+)(?::\d+(?=/)|:)/*', '\1/'));
$$;

-- The words by which a text is compared with a title or a path: of names such as taskList and task-list each part, without words that
-- are in every title. In their order, at most sixty.
create function private.words_of(p_text text)
returns text[] language sql immutable set search_path = '' as $$
  select array(
    select x.word
    from (
      select case when w ~ '[^s]s$' and length(w) > 3 then left(w, -1) else w end as word, n
      from regexp_split_to_table(lower(regexp_replace(left(p_text, 8000), '([a-z0-9])([A-Z])', '\1 \2', 'g')), '[^[:alnum:]]+') with ordinality s (w, n)
      where length(w) between 2 and 40
    ) x
    where x.word <> all ('{the,and,for,with,from,into,that,this,not,of,to,in,on,is,it,as,at,by,be,or,an,no,if,when,fix,fixe,fixed,feat,feature,add,added,adding,update,updated,use,using,make,remove,removed,change,changed,support,chore,refactor,allow,new}'::text[])
    group by x.word order by min(x.n) limit 60);
$$;

-- Finished tasks are known changes too, by their own words: an agent's commits seldom have them. Those with an attempt of their
-- own; the commit that has their work goes, so that it counts once: the attempt's head, or a squash that names the task or its story.
create function private.join_finished_tasks(p_index_id uuid, p_task_ids uuid[] default null)
returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.known_changes (index_id, sha, task_id, at, place, title, words, paths)
  select x.id, t.id::text, t.id, j.finished_at,
    (select count(*) from public.known_changes c where c.index_id = x.id and c.task_id is null and c.at > j.finished_at),
    left(t.title, 300), private.words_of(concat_ws(' ', t.title, left(t.description, 2000), left(t.implementation_plan, 2000))), d.paths
  from public.change_indexes x
  join public.tasks t on t.product_id = x.product_id and t.status = 'DONE' and (p_task_ids is null or t.id = any (p_task_ids))
  join public.products p on p.id = t.product_id and private.repository_name(coalesce(nullif(t.repo_url, ''), p.repo_url)) = x.repository
  join lateral (
    select j.id, j.head_sha, j.finished_at from public.agent_jobs j
    where j.task_id = t.id and j.status = 'DONE' order by j.finished_at desc limit 1
  ) j on true
  cross join lateral (select private.changed_paths(j.id) as paths) d
  where x.id = p_index_id and cardinality(d.paths) between 1 and 40
  order by j.finished_at desc limit 1000
  on conflict do nothing;
  with named as materialized (
    select k.sha, k.paths, n.name from public.known_changes k, unnest(private.names_of(k.title) || k.sha) n (name)
    where k.index_id = p_index_id and k.task_id is null and k.title not like 'Revert %'
  ), own as materialized (
    select k.paths, n.name, n.name = j.head_sha as is_head
    from public.known_changes k join public.tasks t on t.id = k.task_id join public.stories s on s.id = t.story_id
    join public.agent_jobs j on j.task_id = t.id
    cross join lateral unnest(array[j.head_sha, lower(t.code), lower(t.title), lower(s.code), lower(s.title)]) n (name)
    where k.index_id = p_index_id
  )
  -- An array is read once; a query in its place is asked for each change where few are expected.
  delete from public.known_changes c
  where c.index_id = p_index_id and c.sha = any (array(
    select x.sha from named x join own using (name) where own.is_head or own.paths && x.paths));
  update public.change_indexes x set known_changes = (select count(*) from public.known_changes c where c.index_id = x.id)
  where x.id = p_index_id;
end;
$$;

-- What the title of a commit names: codes, and what it was called before a Git host wrote a number behind it or git a Revert around it.
create function private.names_of(p_title text)
returns text[] language sql immutable set search_path = '' as $$
  select array(select lower(m[1]) from regexp_matches(p_title, '\m([[:alpha:]]+-\d+)\M', 'g') m)
    || lower(regexp_replace(regexp_replace(p_title, '^Revert "(.*)".*$', '\1'), '\s*\(#\d+\)$', ''));
$$;

-- What a job's newest attempt touched, without generated files and lock files.
create function private.changed_paths(p_job_id uuid)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select distinct f ->> 'path'
    from (select d.files from public.job_diffs d where d.job_id = p_job_id order by d.attempt desc limit 1) d,
      jsonb_array_elements(d.files) f
    where not coalesce((f ->> 'folded')::boolean, false) and octet_length(f ->> 'path') <= 2000);
end;
$$;

-- Each file's words and age, once a head.
create function private.note_paths(p_index_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  delete from public.known_paths k where k.index_id = p_index_id;
  insert into public.known_paths (index_id, path, name, words, recent)
  select p_index_id, x.path, lower(regexp_replace(x.path, '^.*/', '')), private.words_of(x.path), x.recent
  from (
    select p as path, sum(exp(-c.place / 100.0)) as recent
    from public.known_changes c, unnest(c.paths) p
    where c.index_id = p_index_id group by p
  ) x;
end;
$$;

-- Nothing is kept of a repository whose product says so: what is there goes at once. Definer: indexes are written by functions only.
create function private.tg_products__drop_change_index()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from public.change_indexes x where x.product_id = new.id;
  return null;
end;
$$;
create trigger _590_drop_change_index after update of change_index on public.products
  for each row when (old.change_index and not new.change_index)
  execute function private.tg_products__drop_change_index();
